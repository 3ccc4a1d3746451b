/* Zoned items in the form that libcob wants: zones that PACK ignores are made right,
 * and signs of the other convention become those that the program is compiled for.
 *
 * This file is included by decimal.c, whose head says what each statement takes.
 * Reference: z/Architecture Principles of Operation, "PACK"; Enterprise COBOL
 * Programming Guide, "NUMPROC" and "Sign representation of zoned and packed data".
 */
/* The byte that a character of this code page has in EBCDIC (code page 037),
 * where the zone and the digit of a zoned item are its halves; bytes that are
 * no printable characters have halves of their own. */
static unsigned char zoned_byte(unsigned char c)
{
	static const unsigned char printable[95] = {
		0x40, 0x5A, 0x7F, 0x7B, 0x5B, 0x6C, 0x50, 0x7D, 0x4D, 0x5D, 0x5C, 0x4E, 0x6B, 0x60, 0x4B, 0x61,
		0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x5E, 0x4C, 0x7E, 0x6E, 0x6F,
		0x7C, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6,
		0xD7, 0xD8, 0xD9, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xBA, 0xE0, 0xBB, 0xB0, 0x6D,
		0x79, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96,
		0x97, 0x98, 0x99, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xC0, 0x4F, 0xD0, 0xA1
	};

	return c >= 0x20 && c < 0x7F ? printable[c - 0x20] : c;
}

/* How a zoned item's bytes are. */
enum zoned_state { ZONED_CLEAN, ZONED_MENDED, ZONED_INVALID };

/* Longest zoned item: libcob's 38 digits and a separate sign. */
enum { ZONED_BYTES = 40 };

/* Where the byte with the sign stands; `size` when there is none. */
static size_t sign_place(const cob_field *f)
{
	const unsigned int flags = attr_of(f)->flags;

	if (!(flags & HAVE_SIGN)) {
		return f->size;
	}
	return flags & SIGN_LEADING ? 0 : f->size - 1;
}

/* The byte of a digit with a sign that libcob knows: 'p' to 'y' for -0 to -9,
 * or the overpunched characters of EBCDIC if the program is compiled for them. */
static unsigned char signed_digit(int digit, int negative)
{
	if (!negative) {
		return (unsigned char)('0' + digit);
	}
	if (!has_ebcdic_sign()) {
		return (unsigned char)('p' + digit);
	}
	return (unsigned char)(digit ? 'J' + digit - 1 : '}');
}

static int is_own_sign(unsigned char c, unsigned char z)
{
	return has_ebcdic_sign() ? z >> 4 == 12 || z >> 4 == 13 : c >= 'p' && c <= 'y';
}

/* A byte with a sign as libcob wants it. */
static enum zoned_state sign_byte(unsigned char c, unsigned char *to)
{
	const unsigned char z = zoned_byte(c);

	*to = c;
	if ((c >= '0' && c <= '9') || is_own_sign(c, z)) {
		return ZONED_CLEAN;
	}
	/* A minus of programs that are compiled for the other convention. */
	if (c >= 'p' && c <= 'y') {
		*to = signed_digit(c - 'p', 1);
		return ZONED_MENDED;
	}
	if (z >> 4 < 10 || (z & 15) > 9) {
		return ZONED_INVALID;
	}
	*to = signed_digit(z & 15, z >> 4 == 11 || z >> 4 == 13);
	return ZONED_MENDED;
}

/* Writes the item as libcob wants it, digits with their zones and a sign that
 * libcob knows, unless it is so already. */
static enum zoned_state mend_zoned(const cob_field *f, unsigned char to[ZONED_BYTES])
{
	const size_t sign = sign_place(f);
	const int separate = attr_of(f)->flags & SIGN_SEPARATE;
	enum zoned_state state = ZONED_CLEAN;
	size_t i;

	for (i = 0; i < f->size; i++) {
		const unsigned char c = f->data[i];
		const unsigned char z = zoned_byte(c);

		to[i] = c;
		if (c >= '0' && c <= '9') {
			continue;
		}
		if (i == sign && separate) {
			if (c == '+' || c == '-') {
				continue;
			}
			return ZONED_INVALID;
		}
		if (i == sign) {
			const enum zoned_state one = sign_byte(c, &to[i]);

			if (one == ZONED_INVALID) {
				return one;
			}
			state = one == ZONED_MENDED ? one : state;
			continue;
		}
		if ((z & 15) > 9) {
			return ZONED_INVALID;
		}
		to[i] = signed_digit(z & 15, 0);
		state = ZONED_MENDED;
	}
	return state;
}

/* Copies of zoned items in the form that libcob wants; a statement has few. */
enum { COPIES = 8 };
static struct {
	cob_field field;
	unsigned char bytes[ZONED_BYTES];
} copies[COPIES];
static unsigned int next_copy;

static enum zoned_state zoned_state(const cob_field *f, unsigned char to[ZONED_BYTES])
{
	return f->size && f->size <= ZONED_BYTES ? mend_zoned(f, to) : ZONED_CLEAN;
}

/* Whether libcob would change the item when it reads it: in the convention of
 * EBCDIC it writes a letter where the sign was a digit. */
static int is_rewritten(const cob_field *f)
{
	const size_t sign = sign_place(f);

	return has_ebcdic_sign() && sign < f->size && f->size <= ZONED_BYTES
		&& !(attr_of(f)->flags & SIGN_SEPARATE) && f->data[sign] >= '0' && f->data[sign] <= '9';
}

/* A zoned item to compute with or to compare: itself, or a copy whose zones are
 * right. `must` is set where an invalid digit is a data exception. */
static cob_field *zoned_operand(cob_field *f, int must)
{
	const unsigned int at = next_copy % COPIES;
	const enum zoned_state state = zoned_state(f, copies[at].bytes);
	const char *name;

	if (state == ZONED_CLEAN && !is_rewritten(f)) {
		return f;
	}
	if (state == ZONED_INVALID) {
		name = must ? checked_name(f->data) : NULL;
		if (name) {
			data_exception(f, name);
		}
		return f;
	}
	next_copy++;
	copies[at].field = *f;
	copies[at].field.data = copies[at].bytes;
	return &copies[at].field;
}
