"""Mistakes of the corpus, each explained by a rule of its own: what is said first, and the line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.base.model import Report

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.mark.parametrize(
    ("step", "name", "line", "said"),
    [
        ("s01", "cs_decorated_with_module", 24, "and a decorator is a function"),
        ("s01", "br_default_factory", 14, "A value goes to default"),
        ("s01", "br_decorator_on_helper", 12, "@dataclass stands above campo"),
        ("s01", "cs_defaults_as_enum", 10, "is an Enum"),
        ("s01", "init_with_single_underscores", 4, "Line 4 defines _init_"),
        ("s01", "ts_intersection_bases", 39, "Write Training, FeedForward, Sizes"),
        ("s01", "ts_redeclared_in_subclass", 41, "vocab_size is 50256 by default"),
        ("s02", "ft_do_loop_bound", 28, "Write ncol + 1 in place of ncol"),
        ("s02", "rust_inclusive_columns", 21, "Line 21 gives self.past + self.rows + 1"),
        ("s02", "rust_method_not_called", 24, "Write self.cols() in place of self.cols"),
        ("s03", "ko_max_with_indices", 16, "F.max gives one tensor, and 2 names"),
        ("s03", "hs_maybe_argument_order", 44, "Write maybe(identity, hide, mask)"),
        ("s03", "hs_curried", 35, "gives another, which takes mask"),
        ("s03", "hs_map_over_tensor", 47, "Call the function itself where it is made"),
        ("s03", "hs_scores_dropped", 35, "takes scores, and does not use it"),
        ("s03", "hs_normalised_mixture", 48, "Write weights @ value in place of"),
        ("s03", "pandas_axis_one", 32, "the numbers go wrong: pipe(F.softmax, axis=1)"),
        ("s03", "prof_rank_for_width", 25, "is how many axes there are"),
        ("s04", "el_for_in_int", 17, "Write range(poses)"),
        ("s05", "rb_minus_one_half", 47, "** binds before /"),
        ("s04", "gfx_queries_hidden", 17, "Line 17 puts its axes into the order of token_ids["),
        ("s05", "gopher_assign_to_empty_slice", 37, "Write parts.append(part)"),
        ("s06", "cp_mutable_default", 41, "is made once"),
        ("s06", "hobby_degrees", 32, "is an angle in radians already"),
        ("s07", "pl_mask_of_head_count", 45, "Line 45 makes T 3"),
        ("s07", "hu_unpack_inside_loop", 74, "move it behind the loop"),
        ("s08", "sp_lambda_order", 14, "Write reduce(lambda acc, stage: stage(acc), stages, x)"),
        ("s08", "sp_every_stage_gets_x", 14, "takes acc, and does not use it"),
        ("s08", "r_arrow_assignment", 24, "Write y = self.bias + self.weight * z"),
        ("s08", "r_ncol", 18, "Write n = int(x.shape[-1])"),
        ("s09", "em_brace_ratio_float", 11, "Write 4 in place of 4.0"),
        ("s09", "em_layers_chained_in_wrong_width", 21, "c_proj.weight has shape"),
        ("s09", "sw_computed_property", 34, "Is @staticmethod meant?"),
        ("s09", "sw_enum_case", 19, "is one of three texts"),
        ("s09", "sw_initializer_range_eps", 27, "Write config.layer_norm_epsilon in place of"),
        ("s09", "sw_unwrapped_but_not_returned", 37, "_inner_width returns None"),
        ("s10", "keepdims_like_jnp", 25, "Write F.sum(q, axis=-1)"),
        ("s11", "blocks_backwards", 55, "The blocks run in the reverse order"),
        ("s11", "extended_by_letters", 105, "letter by letter"),
        ("s11", "hash_without_default", 97, "expected.get(name) gives None"),
        ("s11", "re_sub_order", 94, "re.sub takes the pattern first"),
        ("s11", "repetition_operator", 49, "for _ in range(config.n_layer)"),
        ("s12", "draw_under_own_share", 117, "is total meant?"),
        ("s12", "stale_copy", 79, "Nothing in this file calls ln_2"),
    ],
)
def test_the_rule_for_a_mistake_tells_it_at_its_line(
    step: str, name: str, line: int, said: str, mistaken: Callable[[str, str], Report]
) -> None:
    report = mistaken(step, name)
    first, trace = report.first_to_fix, report.trace
    assert first is not None
    told = (first.message, *first.hints, *(trace.told if trace is not None else ()))
    assert (first.line, said in "\n".join(told)) == (line, True), told
