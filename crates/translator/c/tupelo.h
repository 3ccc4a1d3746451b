/* Read before each module's C text; see src/checked.rs. */
#define  COB_KEYWORD_INLINE __inline
#include <stdio.h>
#include <string.h>
#include <gmp.h>
#include <libcob.h>
/* Of the frames below `next` with the same end and the same place to return to,
 * all but the newest are given back. -1 if there is room now. */
static __attribute__((unused)) int tupelo_free_frames(struct cob_frame **next)
{
	struct cob_frame *from = *next, *later, *to;

	do {
		from--;
	} while (from->perform_through);
	for (to = ++from; from < *next; from++) {
		for (later = from + 1; later < *next; later++) {
			if (later->perform_through == from->perform_through
			 && later->return_address_ptr == from->return_address_ptr) {
				break;
			}
		}
		if (later == *next) {
			*to++ = *from;
		}
	}
	if (to == *next) {
		return COB_FERROR_STACK;
	}
	*next = to;
	return -1;
}
#define COB_FERROR_STACK tupelo_free_frames(&frame_ptr)
#define cob_fatal_error(n) \
	do { const int tupelo_why = (n); if (tupelo_why >= 0) (cob_fatal_error)(tupelo_why); } while (0)
#define TUPELO_JOIN(a, b) a##b
#define TUPELO_NAME(line) TUPELO_JOIN(tupelo_unused_, line)
#undef COB_NOINLINE
#define COB_NOINLINE TUPELO_NAME(__LINE__)(void); __attribute__((noinline)) int
