/* Read before each module's C text; see src/checked.rs. */
#define  COB_KEYWORD_INLINE __inline
#include <stdio.h>
#include <string.h>
#include <gmp.h>
#include <libcob.h>
/* Of the frames below `*next` with the same end and the same place to return to,
 * all but the newest are given back. -1 if there is room now. A frame has `bytes`
 * bytes and begins as cob_frame does; from 3.2 on the one at `*next` has its
 * first entries already. */
static __attribute__((unused)) int tupelo_free_frames(char **next, size_t bytes)
{
#define TUPELO_FRAME(at) ((const struct cob_frame *)(at))
	char *from = *next, *later, *to;

	do {
		from -= bytes;
	} while (TUPELO_FRAME(from)->perform_through);
	for (to = from += bytes; from < *next; from += bytes) {
		for (later = from + bytes; later < *next; later += bytes) {
			if (TUPELO_FRAME(later)->perform_through == TUPELO_FRAME(from)->perform_through
			 && TUPELO_FRAME(later)->return_address_ptr == TUPELO_FRAME(from)->return_address_ptr) {
				break;
			}
		}
		if (later == *next) {
			memmove(to, from, bytes);
			to += bytes;
		}
	}
	if (to == *next) {
		return COB_FERROR_STACK;
	}
	memmove(to, *next, bytes);
	*next = to;
	return -1;
}
#define COB_FERROR_STACK tupelo_free_frames((char **)&frame_ptr, sizeof *frame_ptr)
#define cob_fatal_error(n) \
	do { const int tupelo_why = (n); if (tupelo_why >= 0) (cob_fatal_error)(tupelo_why); } while (0)
#define TUPELO_JOIN(a, b) a##b
#define TUPELO_NAME(line) TUPELO_JOIN(tupelo_unused_, line)
/* `static TYPE COB_NOINLINE NAME (...)` declares another function of that type, and
 * NAME as one that is not static. */
#undef COB_NOINLINE
#define COB_NOINLINE TUPELO_NAME(__LINE__)(void); \
	__attribute__((noinline)) __typeof__(TUPELO_NAME(__LINE__)())
/* From 3.2 on these two are always static. Where they are defined their last
 * parameter is `const int size`, and where they are called it is a number: the
 * definition gets another name. */
extern int cob_get_numdisp(const void *, const int);
extern int cob_get_numdisps(const void *, const int);
#define TUPELO_PICK(...) TUPELO_SECOND(__VA_ARGS__)
#define TUPELO_SECOND(a, b, ...) b
#define TUPELO_WHEN_const ~, tupelo_own_numdisp,
#define TUPELO_WHEN_SIGNED_const ~, tupelo_own_numdisps,
#if __LIBCOB_RELEASE >= 30200
#define cob_get_numdisp(data, size) \
	TUPELO_PICK(TUPELO_WHEN_##size, cob_get_numdisp, ~)(data, size)
#define cob_get_numdisps(data, size) \
	TUPELO_PICK(TUPELO_WHEN_SIGNED_##size, cob_get_numdisps, ~)(data, size)
#endif
/* A comparison with a literal says so. */
#define cob_cmp_numdisp(data, size, n, sign) \
	(cob_cmp_numdisp)(data, size, n, (sign) | (__builtin_constant_p(n) ? 2 : 0))
