#ifndef CLIBURING_SHIM_H
#define CLIBURING_SHIM_H
#include <liburing.h>
#endif
