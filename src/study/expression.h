/* Expressions over the keys of a machine, for constraints and for the area of a study:
 *
 *     fence.high_latency < fence.counters and (fence.mode = fence or multi_issue.window = 1)
 *     120 * fence.counters + 40 * queue.alu.hazard
 *
 * Operators, the weakest first: `or`; `and`; `not`; = != < <= > >=; + -; * / %. Division drops the remainder. A truth value is 1 or 0. A word
 * that names nothing stands for itself and can be compared by = and != alone. */
#ifndef HD_STUDY_EXPRESSION_H
#define HD_STUDY_EXPRESSION_H

#include "base/base.h"

/* Finds the value of a name, as text; false when there is no such name. */
typedef bool hd_name_fn(void *context, const char *name, char value[40]);

/* The value of the expression. False and an error at `pos` when the text is no expression, or a value is no number where one is needed. Safe for
 * untrusted text: nesting is bounded, and overflow is an error. */
bool hd_expression(const char *text, hd_name_fn *find, void *context, int64_t *value, hd_pos pos, hd_diag *diag);

#endif
