/* The rules of Khiva in C, for bots that search and for trainers: khiva_arena/games/khiva is the authority, RULES.md states the
   rules by the K and O numbers that are named here. C99 and C++17, without allocations and globals.

   SPDX-License-Identifier: MIT. Part of Khiva Arena.

   khiva_new sets a match up, or khiva_world one that a seat's view allows; khiva_asked, khiva_choices and khiva_choice say who
   may do what; khiva_apply plays. A state is plain data of about 1 kB: copy it by assignment to try something. */
#ifndef KHIVA_H
#define KHIVA_H

#define KHIVA_HEADER_VERSION "1"

#include "habits.h"
#include "numbers.h"
#include "reading.h"
#include "worlds.h"

#endif
