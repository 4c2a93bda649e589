/* The library's public face: compile, load, launch, inspect. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#define HEDDLE_VERSION "0.1.0"

#endif
