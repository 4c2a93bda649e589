/* What the command may see of a heddle beyond the public interface. */
#ifndef HD_API_H
#define HD_API_H

#include "config/machine.h"
#include "heddle/heddle.h"

const hd_machine *hd_api_machine(const heddle *h);
hd_diag *hd_api_diag(heddle *h);

#endif
