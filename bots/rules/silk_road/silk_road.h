/* The rules of Silk Road in C, for bots that search and for trainers: khiva_arena/games/silk_road is the authority, RULES.md
   states the rules by the S and O numbers that are named here. C99 and C++17, without allocations and globals.

   SPDX-License-Identifier: MIT. Part of Khiva Arena.

   silk_road_new sets a match up, or silk_road_world one that a seat's view allows; silk_road_asked, silk_road_choices and
   silk_road_choice say who may do what; silk_road_apply plays. A state is plain data of about 550 bytes: copy it by assignment to
   try something. A silk_road_rules has about 30 kB, a silk_road_memory and a silk_road_view 36 kB each, and a silk_road_knowledge
   110 kB, so keep that one off the stack. */
#ifndef SILK_ROAD_H
#define SILK_ROAD_H

#define SILK_ROAD_HEADER_VERSION "1"

#include "numbers.h"
#include "worlds.h"

#endif
