/* The functions of negzero for other languages: bytes in, bytes out, no state between calls.
 *
 * A program loads libnegzero.so, asks negzero_abi() first, and refuses a number other than NEGZERO_ABI. Functions that
 * may fail return a status and write one block of memory to *out, which the caller frees with negzero_free():
 *
 *     NEGZERO_DONE   *out holds what the function promises
 *     NEGZERO_USAGE  what was given is wrong: *out holds one line of UTF-8 that names the thing, the value and the cure
 *     NEGZERO_OURS   negzero or the machine failed (memory, a defect): *out holds one line that says how, or is NULL
 *
 * No function throws, aborts on bad input, prints, reads a file, starts a thread that outlives the call, or leaves the
 * floating-point environment of the calling thread changed. Any number of threads may call at once.
 */

#ifndef NEGZERO_C_NEGZERO_H
#define NEGZERO_C_NEGZERO_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define NEGZERO_EXPORT __attribute__((visibility("default")))
#else
#define NEGZERO_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define NEGZERO_ABI 10

enum { NEGZERO_DONE = 0, NEGZERO_USAGE = 2, NEGZERO_OURS = 3 };

/* The caller's bytes; `data` may be NULL where `size` is 0. */
typedef struct negzero_bytes {
  const void* data;
  size_t size;
} negzero_bytes;

/* A block of the library's. */
typedef struct negzero_block {
  void* data;
  size_t size;
} negzero_block;

/* The version of these functions: NEGZERO_ABI of the header that the library was built with. */
NEGZERO_EXPORT uint32_t negzero_abi(void);
/* "0.1.0": the library's own, for people. */
NEGZERO_EXPORT const char* negzero_version(void);
/* Frees what a function wrote to *out. NULL data is nothing. */
NEGZERO_EXPORT void negzero_free(negzero_block block);

/* What there is, as JSON:
 *
 *     {"version": 1, "contract_version": 2, "operations": [...], "contracts": [...], "fields": [...],
 *      "formats": [...], "rules": [...]}
 *
 * A case's metadata "contract_version" says by which version's defaults its "contract" is read; where it is missing, by
 * those of version 1. contract_version is that of contracts in options, and the one to write beside a new contract.
 * Operations, contracts, fields and rules are the rows of `negzero list operations|contracts|fields|rules --json`;
 * formats are the names of dtypes that tensors may have. A field is one of a contract that is an object:
 *
 *     {"name": "order", "takes": ["any", "ascending", "model"], "default": "any", "meaning": "The order ..."}
 *
 * "takes" is a list of words, with null among them where it may be null; or the name of what else it may be:
 *
 *     "truth"         true or false
 *     "whole number"  an integer
 *     "text"          any text
 *     "bits"          null, or the bits of a number: "0xff800000"
 *     "promotion"     null, or {"every": 128, "format": "F32"}
 *     "roundings"     a list of formats and of {"format": "F16", "rounding": "nearest_even"} */
NEGZERO_EXPORT int32_t negzero_list(negzero_block* out);

/* What a line declares, "softmax: y[rows, columns] <- x[rows, columns] each rows": the row that an operation has in
 * "operations" above, and "declared": true, "each": ["rows"]. `line` may be the name of an operation that ships, too.
 * Where a line has them, there are also the kinds of scalars that are whole, "kinds": {"first": "int", "largest":
 * "bool"}; the extents that no tensor has, "parameters": ["stride"]; and "relations": ["o = n / stride"]. */
NEGZERO_EXPORT int32_t negzero_describe(negzero_bytes line, negzero_block* out);

/* Extents that follow from known ones by the relations of a line. `options` are
 *
 *     {"operation": "conv: y[o] <- x[n], w[k] with o = n - k + 1, k <= n",
 *      "extents": {"n": 5, "k": 3},       those that are known
 *      "relations": ["k <= 4"]}           more of them, as limits have them; may be missing
 *
 * *out is JSON: {"extents": {"o": 3, "n": 5, "k": 3}, "broken": null}, or as "broken" the first relation whose extents
 * are all known and that they do not keep: {"relation": "k <= n", "text": "k = 5, n = 3: k <= n does not hold"}. */
NEGZERO_EXPORT int32_t negzero_extents(negzero_bytes options, negzero_block* out);

/* Judges recorded outputs of a case.
 *
 *     case      a case file (safetensors), as negzero writes it
 *     observed  a safetensors file with every output of the operation by its name, packed, in the case's format
 *     options   a JSON object; every key may be missing, an unknown one is an error:
 *               {"contract": "f32" | {...} | "default",   the case's own where missing; "default": see below
 *                "elements": "sample" | "all",            default "sample"
 *                "seconds": 2.0,                          of a sample: about how long it may take
 *                "threads": 0,                            0: one a core
 *                "seed": 1,                               of a sample's random elements
 *                "worst": 8}                              how many elements are described, at most; of 0 no
 *                                                         hint is looked for either
 *
 * A case without a contract needs one in the options. "default" is the contract that is assumed of an operation of
 * which nothing was declared. *out is JSON:
 *
 *     {"version": 1,
 *      "verdict": "pass" | "fail" | "vacuous" | "undecided",
 *      "reason": "",                  of vacuous and undecided: why, in one line
 *      "judged": 4096, "of": 16777216, "failing": 3,       elements
 *      "blind": 0.59 | null,          share of the judged ones in which the loss of one term, any of them, would pass
 *      "open": 17,                    elements that the screen left to the exact oracle
 *      "contract": {...}, "contract_text": "F32 accumulator ...", "assumed": "" | "no contract was given; ...",
 *      "worst": [{"output": "d", "index": [0, 3, 5], "element": 389,
 *                 "observed": "1.5 (0x3fc00000)", "observed_bits": "0x3fc00000",
 *                 "permitted": "[1.25 (0x...), 1.26 (0x...)]", "low_bits": "0x..." | null, "high_bits": "0x..." | null,
 *                 "class": "wrong_value", "direction": "" | "too_low" | "too_high", "ulps": 12 | null,
 *                 "rule": {"id": "sum.any_order", "claim": "...", "source": "..."}, "explained": "..."}],
 *      "hints": ["..."],              contracts that permit all that was observed
 *      "text": "..."}                 all of this for people, over several lines
 *
 * `ulps` is the distance from the nearest permitted number in steps of the output's format. */
NEGZERO_EXPORT int32_t negzero_judge(negzero_bytes case_file, negzero_bytes observed, negzero_bytes options,
                                     negzero_block* out);

/* Why one element of a case is permitted or not: what each path of the contract permits of it, and which words of a
 * contract would permit what was observed.
 *
 *     observed  as above, or no bytes: nothing was observed
 *     options   a JSON object; every key may be missing, an unknown one is an error:
 *               {"contract": as above,
 *                "element": "d[0,3,5]"}     in the operation's shapes; "[0,3,5]" of the only output. Where missing: the
 *                                           worst element that is not permitted, else the first
 *
 * *out is JSON:
 *
 *     {"version": 1,
 *      "element": "d[0,3,5]", "contract": {...}, "contract_text": "...",
 *      "observed": ["1.5", "0x3fc00000"] | null,        decimal and bits
 *      "is_permitted": false | null,                    null: nothing was observed
 *      "facts": "...",                                  "explained" above, a few lines
 *      "paths": [{"member": "", "terms": "...", "sum": "...", "ending": "...",     in words
 *                 "permitted": "[1.25 (0x...), 1.26 (0x...)]",
 *                 "holds": false | null,                the observed bits
 *                 "steps": 12 | null}],                 else how many numbers of the format they are away
 *      "words": [{"text": "accumulate \"F16\"", "meaning": "...",      each would permit them; the likeliest first
 *                 "permits": 12,                        how many encodings of the output's format are permitted then
 *                 "is_vacuous": false}],                so many that garbage would pass too
 *      "is_too_large": false,                           the case is, for words to be tried
 *      "text": "..."}                                   all of this for people, over several lines
 *
 * Selections, conversions and sums of integers have no paths. Words are sought where the element is not permitted. */
NEGZERO_EXPORT int32_t negzero_explain(negzero_bytes case_file, negzero_bytes observed, negzero_bytes options,
                                       negzero_block* out);

/* The permitted set of every element; `options` as those of negzero_judge(), without "elements", "seconds", "seed" and
 * "worst". *out is a safetensors file with, for each output `d`, three tensors of its shape:
 *
 *     d.low, d.high   the smallest and the greatest permitted number, in the output's format (+0 where there is none)
 *     d.flags         I32: 1 numbers are permitted, 2 NaN, 4 +infinity, 8 -infinity, 16 +0, 32 -0 (of a zero that lies
 *                     in [low, high]), 64 not every number in [low, high], 128 the set is too wide to reject garbage */
NEGZERO_EXPORT int32_t negzero_permitted(negzero_bytes case_file, negzero_bytes options, negzero_block* out);

/* Reads a case file and writes it again in the canonical form, so that equal cases are equal bytes. */
NEGZERO_EXPORT int32_t negzero_case(negzero_bytes case_file, negzero_block* out);

/* Makes case number `index` of the stream `seed`: adversarial shapes and values, the same on every machine. `options`
 * is a JSON object:
 *
 *     {"operation": "gemm",                  or a line that declares one
 *      "formats": [["F16", "F16", "F32"]],   of a, b, d: as `list operations` has the operation's formats; which
 *                                            combinations there may be; every one where missing
 *      "contract": "f32" | {...},            what the values aim at; where missing, what is assumed of the formats
 *      "extents": {"k": [1, 64, 16]},        the least and the greatest value, and what it is a multiple of (1); or an
 *                                            object of docs/reference/worker_protocol.md: {"greatest": 64, "power_of_two": true}
 *      "inputs": "any", "output": "any",     how tensors lie: "any", "row_or_column_major", "row_major",
 *                                            "column_major", "packed"; or an object of that page
 *      "tensors": {"b": "column_major"},     the same of one tensor: {"b": {"order": "packed", "shared": ["batch"]}}
 *      "products": [{"of": ["m", "n"], "greatest": 4096}], "equal": [["m", "n"]],     extents together
 *      "relations": ["k <= n", "n = o + k - 1"],      formulas of extents, compared by =, <=, <, >= or >
 *      "in_place": {"input": "c", "always": true},     an input that lies in the first output's memory, perhaps or always
 *      "packed": true,                       both are packed
 *      "alpha": "any", "beta": "any",        "any", "zero_or_one", "zero", "one"
 *      "scalars": {"epsilon": {"least": 1e-6, "greatest": 1}},     of a declared operation
 *      "values": {"x": {"least": -1e4, "greatest": 1e4}},     of the elements of inputs; with "inf" and "nan" as
 *                                            docs/reference/worker_protocol.md has them
 *      "configuration": {"algorithm": [0, 1]},     options of a launch with their values, the default first
 *      "finite": true,                       whether no value is an infinity or a NaN; false where missing
 *      "seed": 1, "index": 0}                from 0 to 2^64 - 1; 1 and 0 where missing
 *
 * *out is a case file, with the contract if there was one. */
NEGZERO_EXPORT int32_t negzero_draw(negzero_bytes options, negzero_block* out);

/* What a function made of a launch. */
enum {
  NEGZERO_STOP = 0,    /* nothing, and it is not to be called again: the check ends */
  NEGZERO_RAN = 1,     /* the image has what it wrote */
  NEGZERO_RAISED = 2,  /* it raised an exception, of the type and with the words in `message`: "TypeError: ..." */
  NEGZERO_CHANGED = 3, /* it changed an input of which it had a copy, as `message` says */
  NEGZERO_REFUSED = 4  /* it refused a case inside its limits, as `message` says */
};

/* One launch of a function that is being checked. All of it is the library's, and lasts until the launch returns. */
typedef struct negzero_launch {
  negzero_bytes plan;      /* JSON, see negzero_check() */
  negzero_bytes case_file; /* the case, for who wants to know it should the process end */
  void* image;             /* where the case lies, in the caller's own memory */
  size_t image_size;
  char* message; /* room for text, UTF-8, that ends in a 0 */
  size_t message_size;
} negzero_launch;

/* A function to check. */
typedef struct negzero_function {
  void* user; /* handed to both */
  /* Runs the function once; returns one of the words above. */
  int32_t (*launch)(void* user, const negzero_launch* launch);
  /* Gives page-aligned memory of that size, or NULL: for images, from now on. The library forgets what it was given
   * before; it is the caller's, and a function that kept an array of it may go on reading. */
  void* (*memory)(void* user, size_t size);
} negzero_function;

/* Checks a function: makes adversarial cases, has it run on them, judges what it gave, and shrinks the first case that
 * fails. It is called in this thread, in the floating-point environment of this call.
 *
 * `options` are those of negzero_draw() but "index", and
 *
 *     {"name": "my_gemm",                        what the function is called, in texts
 *      "promises": {"determinism": "run_to_run"}, fields that replace those of the contract
 *      "reference": {"kernel": "my_reference", "errors": {"y": {"ulps": 4, "relative": 1e-6}}, ...},
 *                                                of a declared operation: what `reference` is called, and how far values
 *                                                may be from what it gives, as docs/reference/worker_protocol.md has it
 *      "claims": ["nan_row"],                    properties (docs/explanation/numerics.md section 8); each case is held to one more
 *      "known": [{"class": "data_race"}],        findings of a class or a {"rule": ...} that are counted and passed over
 *      "cases": 300,                             300 where missing
 *      "shapes": 16,                             cases share so many drawn shapes; 0 or missing: any number
 *      "shrink_seconds": 20}                     most time for shrinking
 *
 * `prepare` changes the elements of each drawn case, and of each smaller one, before anything else sees them; its
 * `launch` may be NULL. The plan of its launches is as below, without "phase" and "index": its buffers are all inputs,
 * packed, and it writes what they are to hold where they lie. It returns NEGZERO_RAN, or NEGZERO_STOP. What it gives
 * must be a case within the limits, or it is a usage error. Cases of `first` are taken as they are.
 *
 * `reference` is called as `function` is, in memory of its own, and only where the options name it; its `launch` may be
 * NULL else. Its inputs and outputs are the function's in F64, integers as they are, and for each error that is relative
 * to a scale an output y_scale beside y. Where an element fails it is called again, with "rounding" "downward" and
 * "upward": it may round its arithmetic so, compute in a wider format both times, or give the same. What it raises then
 * decides nothing.
 *
 * A "contract" may be "default" here. `first` are `count` cases to begin with. The plan of a launch is
 *
 *     {"phase": "search" | "shrink", "index": 17, "begin": 4096, "end": 45568,
 *      "buffers": {"a": {"use": "input", "format": "F16", "shape": [1, 2, 3], "strides": [6, 3, 1], "at": 8192}, ...},
 *      "scalars": {"alpha": ["F32", "0x3f800000"], ...},     whole numbers and truth values in "I32"
 *      "configuration": {"algorithm": 1, ...},     all options that there are
 *      "extents": {"o": 3, "stride": 2, ...},      of a line with parameters: extents that no tensor has
 *      "rounding": "downward"}                     of a reference that is called again; missing: to nearest
 *
 * The case has the bytes [begin, end) of the image. `at` is the byte of the image at which element 0 lies, strides are in
 * elements. An optional input that the case is without has no buffer. A buffer's use is "input"; "unread":
 * by the contract no element of it counts, and it holds poison; "output", which holds poison; "in_output": an input
 * that lies in the first output's memory; or "initialised": an
 * output that holds the initial values. All memory between the elements is poison, and must stay as it is.
 *
 * *out is JSON; *found is the smallest case that fails, or has no bytes:
 *
 *     {"version": 1,
 *      "passed": 280, "vacuous": 10, "empty": 10, "refused": 0, "errors": 0,    cases; empty: without output elements
 *      "not_judged": 0,                                                         cases of a declared operation that ran clean
 *      "error": "",                                                             why the first of the errors is one
 *      "known": [0],                                                            cases that failed by what is known
 *      "warnings": 0, "warning": "",                                            cases with one, and the first
 *      "held": 0, "launches": 300, "stopped": false, "contract_text": "F32 accumulator ...",
 *      "assumed": "" | "no contract was given; ...",
 *      "found": null | {"class": "wrong_value", "rule": "sum.any_order", "message": "...", "output": "d",
 *                       "coordinates": [0, 1, 2], "observed": "...", "permitted": "...", "failing": 1,
 *                       "claim": "" | "nan_row", "hints": ["..."], "evaluations": 120, "came_again": true,
 *                       "runs": 8, "hits": 8, "is_cut": false, "contract_text": "...", "text": "..."}} */
NEGZERO_EXPORT int32_t negzero_check(negzero_bytes options, negzero_function function, negzero_function reference,
                                     negzero_function prepare, const negzero_bytes* first, size_t count,
                                     negzero_block* found, negzero_block* out);

/* The terms of one sum: +M at `plus`, -M at `minus`, ones at all other places of [ones_begin, ones_end), and zeros. */
typedef struct negzero_placement {
  int64_t plus, minus;
  int64_t ones_begin, ones_end;
} negzero_placement;

/* Sums to compute, of `length` terms each. M is 2^large_a and a one 2^one_a. Of products that is so in the first
 * factor; the second one is 2^large_b at plus and minus, and 2^one_b at all other places. */
typedef struct negzero_terms {
  int64_t length;
  int32_t large_a, one_a;
  int32_t large_b, one_b;
  const negzero_placement* placements;
  size_t count;
} negzero_terms;

/* A function that sums. */
typedef struct negzero_sums {
  void* user;
  /* Computes each of the sums into sums[0], sums[1], ...; returns NEGZERO_RAN, or NEGZERO_STOP, with
   * which the search ends as a usage error. NaN is a sum, too. */
  int32_t (*sums)(void* user, const negzero_terms* terms, double* sums);
} negzero_sums;

/* Finds the order in which a function adds, from its sums: the tree of additions, and how deep it is. The function is
 * called in this thread, in the floating-point environment of this call. `options` is a JSON object:
 *
 *     {"lengths": [96, 256, 1000],     of the sums, ascending; at each of them the tree is found
 *      "longer": 65000,                some terms of such a sum are followed, so that no formula is below them
 *      "length_name": "n",             in formulas
 *      "format": "F32",                of the terms
 *      "factor": "F32",                of what they are multiplied by; where missing, terms are no products
 *      "accumulator": "F32",           of the sum, as far as it is known
 *      "output": "F32",
 *      "name": "my_sum",               in the text
 *      "trees": true}                  trees are drawn
 *
 * *out is JSON:
 *
 *     {"version": 1, "name": "my_sum", "length": "n", "has_products": false,
 *      "lengths": [{"length": 96, "shape": "", "depth": 7 | null, "elements": 1, "problem": "", "fused": 2,
 *                   "sums": 400, "tree": "...",         fused: the most terms that one addition takes
 *                   "nodes": [0, 1, [0, 1]]}],          the tree: each node a term, or the places of what it adds
 *      "longer": {"length": 65000, "depth_at_least": 20} | null,
 *      "formula": {"text": "...", "is_exact": true, "most_above": 0} | null,
 *      "is_deterministic": true, "same_shape": true | null, "other_shapes": [],
 *      "line": {"depth": "..."} | null, "sums": 12000,
 *      "text": "..."}                                  all of this for people, over several lines */
NEGZERO_EXPORT int32_t negzero_order(negzero_bytes options, negzero_sums function, negzero_block* out);

/* Decides by a ledger of known findings, as `negzero check --accept` does. `ledger` holds the bytes of such a file
 * (docs/how-to/ci.md), `query` a JSON object:
 *
 *     {"findings": [{"kernel": "test_sum[f16]",   the name of a kernel or of a test
 *                    "class": "wrong_value",      one of these may be missing where it is not known
 *                    "rule": "sum.exact",
 *                    "place": "cuda"}],           host, watched or cuda; missing where it is not known
 *      "ran": ["test_sum[f16]",                   what ran with all of its budget
 *              {"kernel": "test_max", "place": "host",
 *               "whole": false}]}                 false: it ended early, and what did not occur says nothing
 *
 * What is about a place is not matched with something of which no place is known. *out is JSON:
 *
 *     {"version": 1,
 *      "accepted": [0, null],   for each finding the number of the first entry that accepts it, from 0, or null
 *      "stale": [2]}            entries about something that ran, all of it whole, that accept none of the findings
 *
 * An entry of class crash or rule run.crash is a quarantine: what it is about is not to be run, and it is never stale.
 * A finding of class crash and rule run.crash asks whether there is one. */
NEGZERO_EXPORT int32_t negzero_ledger(negzero_bytes ledger, negzero_bytes query, negzero_block* out);

#ifdef __cplusplus
}
#endif

#endif
