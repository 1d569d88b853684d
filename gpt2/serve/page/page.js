// The page that tries the model: it asks for a stream with the log-probabilities of each token.

const at = (id) => document.getElementById(id);
const key = new URLSearchParams(location.hash.slice(1)).get("key");
let stopping = null;

if (key !== null) {
  at("key").value = key;
  history.replaceState(null, "", location.pathname);
}

const headers = () => ({
  "content-type": "application/json",
  ...(at("key").value && { authorization: `Bearer ${at("key").value}` }),
});

const visible = (token) => token.replaceAll(" ", "·").replaceAll("\n", "↵");

function show(button, token, best) {
  for (const one of at("text").querySelectorAll("button")) {
    one.setAttribute("aria-pressed", String(one === button));
  }
  const rows = Object.entries(best).sort((one, other) => other[1] - one[1]);
  at("likely").hidden = false;
  at("likely").caption.textContent = `In the place of ${visible(token)}`;
  at("likely").tBodies[0].replaceChildren(...rows.map(([text, logprob]) => {
    const row = document.createElement("tr");
    const share = Math.exp(logprob);
    const bar = document.createElement("meter");
    bar.value = share;
    for (const what of [visible(text), `${(100 * share).toFixed(1)} %`, bar]) {
      row.insertCell().append(what);
    }
    return row;
  }));
}

function add(choice) {
  const { tokens, token_logprobs: logprobs, top_logprobs: best } = choice.logprobs;
  tokens.forEach((token, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = token;
    button.title = `${(100 * Math.exp(logprobs[index])).toFixed(1)} %`;
    button.style.setProperty("--p", Math.exp(logprobs[index]));
    button.addEventListener("click", () => show(button, token, best[index]));
    at("text").append(button);
  });
}

async function* events(body) {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + piece).split("\n\n");
    rest = parts.pop();
    yield* parts.map((part) => part.replace(/^data: /, ""));
  }
}

function wanted() {
  const asked = { prompt: at("prompt").value, stream: true, logprobs: 5 };
  for (const name of ["max_tokens", "temperature", "top_k", "top_p", "seed"]) {
    if (at(name).value !== "") asked[name] = Number(at(name).value);
  }
  return asked;
}

async function write() {
  const started = performance.now();
  const asked = wanted();
  at("text").replaceChildren(asked.prompt);
  at("likely").hidden = true;
  const answer = await fetch("v1/completions", {
    method: "POST", headers: headers(), body: JSON.stringify(asked), signal: stopping.signal,
  });
  if (!answer.ok) {
    if (answer.status === 401) at("with-key").hidden = false;
    throw new Error((await answer.json()).error.message);
  }
  let count = 0;
  for await (const event of events(answer.body)) {
    if (event === "[DONE]") break;
    const told = JSON.parse(event);
    if (told.error) throw new Error(told.error.message);
    told.choices.forEach(add);
    count += told.choices.reduce((sum, choice) => sum + choice.logprobs.tokens.length, 0);
    const seconds = (performance.now() - started) / 1000;
    at("said").textContent = `${count} tokens in ${seconds.toFixed(2)} s`;
  }
}

at("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  stopping = new AbortController();
  at("write").disabled = true;
  at("stop").disabled = false;
  at("said").textContent = "";
  try {
    await write();
  } catch (problem) {
    if (problem.name !== "AbortError") at("said").textContent = problem.message;
  } finally {
    at("write").disabled = false;
    at("stop").disabled = true;
  }
});
at("stop").addEventListener("click", () => stopping?.abort());

fetch("v1/models", { headers: headers() })
  .then((answer) => answer.json())
  .then((told) => { at("model").textContent = told.data?.[0].id ?? ""; })
  .catch(() => {});
at("with-key").hidden = at("key").value === "";
