/* Signed zoned items that statements read as characters.
 *
 * z/OS takes the digits and leaves the item as it is. libcob takes the sign out of
 * the item, and puts it back afterwards; a byte that is no sign of the convention
 * that the program is compiled for becomes a zero, in the result and in the item.
 * So such an item is passed on as a copy. INSPECT has its sign rewritten, which
 * changes no value.
 *
 * This file is included by decimal.c, which has the entries for MOVE and comparisons.
 * Reference: Enterprise COBOL Language Reference, "Elementary moves", "Comparison of
 * numeric and alphanumeric operands", "INSPECT statement", comparison cycle.
 */
enum { GROUP_ITEM = 0x01 };

static struct {
	void (*inspect_init)(cob_field *, int);
} characters;

static int is_group(const cob_field *f)
{
	return attr_of(f) && attr_of(f)->type == GROUP_ITEM;
}

/* Whether libcob would lose the item's sign; `to` is the byte in the form that
 * it knows. An invalid one stays: a copy of the item protects the item itself. */
static int loses_sign(const cob_field *f, unsigned char *to)
{
	if (!is_zoned(f) || !f->size || !(attr_of(f)->flags & HAVE_SIGN)
		|| (attr_of(f)->flags & SIGN_SEPARATE)) {
		return 0;
	}
	return sign_byte(f->data[sign_place(f)], to) != ZONED_CLEAN;
}

/* An item that is about to be read as characters: itself, or a copy whose sign
 * libcob knows and may change. */
static cob_field *as_characters(cob_field *f)
{
	unsigned char sign;
	unsigned int at;

	if (!loses_sign(f, &sign) && !(is_zoned(f) && is_rewritten(f))) {
		return f;
	}
	if (f->size > ZONED_BYTES) {
		return f;
	}
	at = next_copy++ % COPIES;
	memcpy(copies[at].bytes, f->data, f->size);
	copies[at].bytes[sign_place(f)] = sign;
	copies[at].field = *f;
	copies[at].field.data = copies[at].bytes;
	return &copies[at].field;
}

/* Works on the item itself: CONVERTING and TALLYING look the same from here. */
EXPORT void cob_inspect_init(cob_field *f, const int replacing)
{
	unsigned char sign;

	if (loses_sign(f, &sign)) {
		f->data[sign_place(f)] = sign;
	}
	characters.inspect_init(f, replacing);
}

static int bind_characters(void *handle)
{
	void *entry = dlsym(handle, "cob_inspect_init");

	memcpy(&characters.inspect_init, &entry, sizeof entry);
	return entry != NULL;
}
