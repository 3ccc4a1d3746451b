/* Intrinsic functions that libcob 3.1 does otherwise than Enterprise COBOL, or
 * does not have.
 *
 * This file is included after decimal.c by the C side of each process that hosts
 * libcob; it gives entries that are found before libcob's. NUMVAL and its kind go
 * on in libcob with an argument that libcob reads rightly. HEX-OF and the others
 * that libcob lacks come as FUNCTION CONCATENATE with a mark as first argument,
 * which the translator writes (src/functions.rs there).
 * Reference: Enterprise COBOL Language Reference, "Intrinsic functions".
 */
static struct {
	cob_field *(*numval)(cob_field *);
	cob_field *(*numval_c)(cob_field *, cob_field *);
	cob_field *(*numval_f)(cob_field *);
	cob_field *(*test_numval_f)(cob_field *);
	int (*set_int)(cob_field *, int);
} functions;

enum { ARGUMENT_BYTES = 256 };

static unsigned char upper(unsigned char c)
{
	return c >= 'a' && c <= 'z' ? (unsigned char)(c - 'a' + 'A') : c;
}

/* A copy of an argument that is characters and not too long, to be changed; NULL
 * for others. */
static cob_field *argument_copy(const cob_field *f, unsigned char bytes[ARGUMENT_BYTES], cob_field *copy)
{
	if (is_number(f) || f->size >= ARGUMENT_BYTES - 1) {
		return NULL;
	}
	memcpy(bytes, f->data, f->size);
	*copy = *f;
	copy->data = bytes;
	return copy;
}

/* The argument of NUMVAL or NUMVAL-C with CR or DB at its end as a minus sign,
 * which libcob reads only after a blank, or not at all. */
static cob_field *credit_as_minus(cob_field *f)
{
	static unsigned char bytes[ARGUMENT_BYTES];
	static cob_field changed;
	cob_field *copy = argument_copy(f, bytes, &changed);
	size_t n = f->size;
	unsigned char a, b;

	while (n && f->data[n - 1] == ' ') {
		n--;
	}
	if (n < 3 || !copy) {
		return f;
	}
	a = upper(f->data[n - 2]);
	b = upper(f->data[n - 1]);
	if (!(a == 'C' && b == 'R') && !(a == 'D' && b == 'B')) {
		return f;
	}
	bytes[n - 2] = '-';
	bytes[n - 1] = ' ';
	return copy;
}

EXPORT cob_field *cob_intr_numval(cob_field *f)
{
	return floating_value(functions.numval(credit_as_minus(f)));
}

/* A currency string of several characters is blanked: libcob takes it for none. */
EXPORT cob_field *cob_intr_numval_c(cob_field *f, cob_field *currency)
{
	static unsigned char bytes[ARGUMENT_BYTES];
	static cob_field changed;
	cob_field *copy;
	size_t n, i;

	f = credit_as_minus(f);
	if (!currency || is_number(currency)) {
		return floating_value(functions.numval_c(f, currency));
	}
	n = currency->size;
	while (n && currency->data[n - 1] == ' ') {
		n--;
	}
	copy = n > 1 ? argument_copy(f, bytes, &changed) : NULL;
	if (!copy) {
		return floating_value(functions.numval_c(f, currency));
	}
	for (i = 0; i + n <= f->size; i++) {
		if (!memcmp(bytes + i, currency->data, n)) {
			memset(bytes + i, ' ', n);
			break;
		}
	}
	return floating_value(functions.numval_c(copy, NULL));
}

/* An exponent in the form that libcob wants, after a capital E and with a sign.
 * Gives the argument or its copy; `added` is where a sign was put, from 1, or 0. */
static cob_field *plain_exponent(cob_field *f, unsigned char bytes[ARGUMENT_BYTES], cob_field *copy,
	size_t *added)
{
	size_t e = 0, i;

	*added = 0;
	if (!argument_copy(f, bytes, copy)) {
		return f;
	}
	while (e < f->size && upper(bytes[e]) != 'E') {
		e++;
	}
	if (e >= f->size) {
		return f;
	}
	bytes[e] = 'E';
	for (i = e + 1; i < f->size && bytes[i] == ' '; i++) {
	}
	if (i < f->size && bytes[i] >= '0' && bytes[i] <= '9') {
		memmove(bytes + i + 1, bytes + i, f->size - i);
		bytes[i] = '+';
		copy->size++;
		*added = i + 1;
	}
	return copy;
}

EXPORT cob_field *cob_intr_numval_f(cob_field *f)
{
	unsigned char bytes[ARGUMENT_BYTES];
	cob_field copy;
	size_t added;

	return floating_value(functions.numval_f(plain_exponent(f, bytes, &copy, &added)));
}

EXPORT cob_field *cob_intr_test_numval_f(cob_field *f)
{
	unsigned char bytes[ARGUMENT_BYTES];
	cob_field copy, *place;
	size_t added;

	place = functions.test_numval_f(plain_exponent(f, bytes, &copy, &added));
	if (added && decimal.get_llint(place) > (long long)added) {
		functions.set_int(place, (int)decimal.get_llint(place) - 1);
	}
	return place;
}

/* Results of functions; a statement has few. */
enum { RESULTS = 32 };
static cob_field *result_field(size_t size)
{
	static const decimal_attr characters = { CHARACTERS, 0, 0, 0, NULL };
	static cob_field results[RESULTS];
	static size_t rooms[RESULTS];
	static unsigned int next;
	const unsigned int at = next++ % RESULTS;
	cob_field *r = &results[at];

	if (rooms[at] <= size) {
		free(r->data);
		r->data = malloc(size + 1);
		rooms[at] = r->data ? size + 1 : 0;
		if (!r->data) {
			_exit(71);
		}
	}
	r->size = size;
	r->attr = (const void *)&characters;
	return r;
}

static int hex_value(unsigned char c)
{
	c = upper(c);
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Each byte as `digits` characters of so many bits. */
static cob_field *spelt(const cob_field *f, int digits, int bits)
{
	cob_field *r = result_field(f->size * (size_t)digits);
	size_t i;
	int d;

	for (i = 0; i < f->size; i++) {
		for (d = 0; d < digits; d++) {
			const int value = f->data[i] >> (8 - bits * (d + 1)) & ((1 << bits) - 1);

			r->data[i * (size_t)digits + (size_t)d] = (unsigned char)"0123456789ABCDEF"[value];
		}
	}
	return r;
}

/* The bytes that such characters stand for. */
static cob_field *unspelt(const cob_field *f, int digits, int bits, const char *why)
{
	cob_field *r = result_field(f->size / (size_t)digits);
	size_t i;
	int d;

	for (i = 0; i < r->size; i++) {
		int byte = 0;

		for (d = 0; d < digits; d++) {
			const int value = hex_value(f->data[i * (size_t)digits + (size_t)d]);

			if (value < 0 || value >> bits) {
				fault(why);
			}
			byte = byte << bits | (value & ((1 << bits) - 1));
		}
		r->data[i] = (unsigned char)byte;
	}
	return r;
}

/* A number as the bytes that a BINARY item of z/OS has. */
static cob_field *binary_bytes(int n, int bytes)
{
	cob_field *r = result_field((size_t)bytes);
	int i;

	for (i = 0; i < bytes; i++) {
		r->data[i] = (unsigned char)((unsigned int)n >> 8 * (bytes - 1 - i));
	}
	return r;
}

/* What the translator writes as first argument of CONCATENATE, before the name. */
static const char mark[] = "\001TUPELO ";

static cob_field *marked(const cob_field *name, const cob_field *f)
{
	const char *text = (const char *)name->data + sizeof mark - 1;
	const size_t n = name->size - (sizeof mark - 1);

	if (n == 6 && !memcmp(text, "HEX-OF", n)) {
		return spelt(f, 2, 4);
	}
	if (n == 6 && !memcmp(text, "BIT-OF", n)) {
		return spelt(f, 8, 1);
	}
	if (n == 9 && !memcmp(text, "LENGTH-OF", n)) {
		return binary_bytes(decimal.get_int((cob_field *)f), 4);
	}
	if (n == 8 && !memcmp(text, "HALFWORD", n)) {
		return binary_bytes(decimal.get_int((cob_field *)f), 2);
	}
	if (n == 11 && !memcmp(text, "HEX-TO-CHAR", n)) {
		return unspelt(f, 2, 4, "the argument of HEX-TO-CHAR has a character that is not a hexadecimal digit");
	}
	return unspelt(f, 8, 1, "the argument of BIT-TO-CHAR has a character that is neither 0 nor 1");
}

/* The part of a result that reference modification asks for. */
static void take_part(cob_field *r, int offset, int length)
{
	const size_t skipped = offset > 0 ? (size_t)offset - 1 : 0;

	if (offset <= 0 || skipped >= r->size) {
		return;
	}
	r->size -= skipped;
	memmove(r->data, r->data + skipped, r->size);
	if (length > 0 && (size_t)length < r->size) {
		r->size = (size_t)length;
	}
}

EXPORT cob_field *cob_intr_concatenate(const int offset, const int length, const int params, ...)
{
	cob_field *first = NULL, *last = NULL, *r;
	size_t size = 0;
	int i;
	va_list args;

	va_start(args, params);
	for (i = 0; i < params; i++) {
		last = va_arg(args, cob_field *);
		first = i ? first : last;
		size += last->size;
	}
	va_end(args);
	if (params == 2 && first->size > sizeof mark - 1 && !memcmp(first->data, mark, sizeof mark - 1)) {
		r = marked(first, last);
	} else {
		r = result_field(size);
		size = 0;
		va_start(args, params);
		for (i = 0; i < params; i++) {
			last = va_arg(args, cob_field *);
			memcpy(r->data + size, last->data, last->size);
			size += last->size;
		}
		va_end(args);
	}
	take_part(r, offset, length);
	return r;
}

static int bind_functions(void *handle)
{
	static const struct {
		void *place;
		const char *name;
	} all[] = {
		{ &functions.numval, "cob_intr_numval" },
		{ &functions.numval_c, "cob_intr_numval_c" },
		{ &functions.numval_f, "cob_intr_numval_f" },
		{ &functions.test_numval_f, "cob_intr_test_numval_f" },
		{ &functions.set_int, "cob_set_int" },
	};
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++) {
		void *entry = dlsym(handle, all[i].name);

		if (!entry) {
			return 0;
		}
		memcpy(all[i].place, &entry, sizeof entry);
	}
	return 1;
}
