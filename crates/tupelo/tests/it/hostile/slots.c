/* Looks for a text in the arenas of the other slots of its worker, from its own
 * COMMAREA on, as a program does that computes addresses. The COMMAREA gives the
 * text; the answer is the number of slots that have it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

/* Bytes of an arena, and of its part in which a request's COMMAREA lies. */
#define ARENA (1L << 20)
#define PART 8192L

int SLOTS(void *eib, char *area)
{
	char text[32] = "";
	long slot, found = 0;

	strncpy(text, area, sizeof text - 1);
	for (slot = -8; slot <= 8; slot++)
		if (slot && memmem(area + slot * ARENA - PART, 2 * PART, text, strlen(text)))
			found++;
	snprintf(area, 200, "%ld", found);
	return 0;
}
