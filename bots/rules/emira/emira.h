/* The rules of Emira in C, for bots that search and for trainers: khiva_arena/games/emira is the authority, RULES.md states the
   rules by the E and O numbers that are named here. C99 and C++17, without allocations and globals.

   SPDX-License-Identifier: MIT. Part of Khiva Arena.

   emira_new sets a match up, or emira_world one that a seat's view allows; emira_asked, emira_choices and emira_choice say who
   may do what; emira_apply plays. A state is plain data of 1.3 kB: copy it by assignment to try something. An emira_view has
   11 kB, and an emira_knowledge 620 kB, so keep that one off the stack. */
#ifndef EMIRA_H
#define EMIRA_H

#define EMIRA_HEADER_VERSION "1"

#include "numbers.h"
#include "reading.h"
#include "worlds.h"

#endif
