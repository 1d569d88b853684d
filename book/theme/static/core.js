// The arithmetic of the figures and of the page's GPT-2. No page is needed: tests run it alone.
// Vectors are arrays of numbers, matrices are arrays of rows.
"use strict";

globalThis.core = (() => {
  const range = (count) => Array.from({ length: count }, (_, index) => index);
  const transpose = (matrix) => range(matrix[0].length).map((column) => matrix.map((row) => row[column]));

  function dot(a, b) {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
    return sum;
  }

  // Step 02: 0 where a token may be attended to, −∞ elsewhere. `upper` is num_tokens where it is right.
  function causalMask(length, earlier, upper = earlier) {
    return range(length).map((row) => range(earlier + length).map((column) => (column - row <= upper ? 0 : -Infinity)));
  }

  function softmax(scores) {
    const most = Math.max(...scores);
    const parts = Array.from(scores, (score) => Math.exp(score - most));
    const whole = parts.reduce((sum, part) => sum + part, 0);
    return parts.map((part) => part / whole);
  }

  // Weights [query, key] times values [key, head_dim].
  function mix(weights, value) {
    const columns = transpose(value);
    return weights.map((row) => columns.map((column) => dot(row, column)));
  }

  // Steps 03 and 05: every table on the way from queries, keys and values to the output.
  function attention(query, key, value, { scale = true, mask = null } = {}) {
    const scores = query.map((q) => key.map((k) => dot(q, k)));
    const scaled = scale ? scores.map((row) => row.map((score) => score / Math.sqrt(query[0].length))) : scores;
    const masked = mask ? scaled.map((row, i) => row.map((score, j) => score + mask[i][j])) : scaled;
    const weights = masked.map(softmax);
    return { scores, scaled, masked, weights, output: mix(weights, value) };
  }

  // Step 04, for a batch: one row for each text, without the dimensions of length 1.
  const paddingMask = (ids, pad, hidden) => ids.map((text) => text.map((id) => (id === pad ? hidden : 0)));
  const combineMasks = (causal, padding) => causal.map((row) => row.map((value, column) => Math.min(value, padding[column])));

  // Step 05: [seq, n_embd] to [n_head, seq, head_dim], and back.
  function splitHeads(x, heads) {
    const width = x[0].length / heads;
    return range(heads).map((head) => x.map((row) => Array.from(row.slice(head * width, (head + 1) * width))));
  }
  const mergeHeads = (heads) => heads[0].map((_, token) => heads.flatMap((head) => head[token]));

  // The same numbers in the same order under another shape [n, rows, columns].
  function reshape(x, rows, columns) {
    const flat = x.flat(Infinity);
    return range(flat.length / rows / columns).map((block) =>
      range(rows).map((row) => flat.slice((block * rows + row) * columns, (block * rows + row + 1) * columns)),
    );
  }

  // Step 06: how far each pair of neighbours turns from one position to the next, in radians.
  const frequencies = (width, theta = 10000) => range(width / 2).map((pair) => theta ** ((-2 * pair) / width));
  const turn = ([a, b], angle) => [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];
  const rotate = (x, position, theta) =>
    frequencies(x.length, theta).flatMap((speed, pair) => turn([x[2 * pair], x[2 * pair + 1]], position * speed));

  // Step 08: every number on the way through a layer normalization.
  function layerNorm(x, weight, bias, eps) {
    const mean = x.reduce((sum, one) => sum + one, 0) / x.length;
    const centered = Array.from(x, (one) => one - mean);
    const variance = dot(centered, centered) / x.length;
    const normalized = centered.map((one) => one / Math.sqrt(variance + eps));
    const output = normalized.map((one, i) => one * weight[i] + bias[i]);
    return { mean, centered, variance, normalized, output };
  }

  // Step 10: what one attention layer multiplies for `fresh` new tokens and `total` keys.
  const multiplications = (fresh, total, width) => fresh * 4 * width * width + 2 * fresh * total * width;

  // Each token that a text grows by: what is computed and what is kept.
  function growth(length, width, cached) {
    return range(length).map((step) => {
      const fresh = cached ? 1 : step + 1;
      return { fresh, kept: step + 1 - fresh, multiplied: multiplications(fresh, step + 1, width) };
    });
  }

  return {
    range, transpose, dot, causalMask, softmax, mix, attention, paddingMask, combineMasks, splitHeads, mergeHeads,
    reshape, frequencies, turn, rotate, layerNorm, multiplications, growth,
  };
})();
