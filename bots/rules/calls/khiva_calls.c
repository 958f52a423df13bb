/* The calls of khiva.h as functions, for bots in Rust, Go, JavaScript and other languages that link C or load WebAssembly. */
#include "khiva.h"

#define EXPORTED __attribute__((visibility("default")))
#define GAME khiva
#define MOST KHIVA_SEATS
#define LEARNS
#include "calls.h"
