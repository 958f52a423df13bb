/* Reads what tests/support/traced_rules.py writes. A record is: size of the rules map and the map, size of the view and the view,
   with sizes as 4 bytes, the highest first. */
#include <stdio.h>
#include <stdlib.h>

/* Reads a map into memory of just its size; NULL at the end of the input. */
static unsigned char *record(size_t *size)
{
    unsigned char head[4], *bytes;
    if (fread(head, 1, 4, stdin) != 4)
        return NULL;
    *size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    bytes = malloc(*size ? *size : 1);
    return fread(bytes, 1, *size, stdin) == *size ? bytes : NULL;
}
