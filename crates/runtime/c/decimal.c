/* What a processor of z/Architecture would not go on with, and what it would:
 * an invalid digit or sign in a decimal item, a division by zero without SIZE
 * ERROR; zones of zoned digits, which PACK ignores.
 *
 * This file is included by the C side of each process that hosts libcob. That
 * object is loaded before libcob, so that programs find the entries here first;
 * each looks at its operands and goes on in libcob. The including file has
 * cob_field and gives fault(), which ends the program unless nothing is running,
 * address_may_be_null(), and has_ebcdic_sign() for the module in control. It calls bind_decimal() once libcob is loaded.
 *
 * Zoned items: the compiler has cob_check_numeric called before an item is
 * used. What follows decides. Arithmetic and moves to numeric items take the
 * digits alone; a digit or a sign that is invalid is a data exception there.
 * Moves to characters and comparisons with invalid digits go on, as on z/OS.
 * Reference: z/Architecture Principles of Operation, "Program Interruptions",
 * "PACK"; Enterprise COBOL Programming Guide, NUMPROC and ZONEDATA.
 */
typedef struct {
	unsigned short type;
	unsigned short digits;
	short scale;
	unsigned short flags;
	const void *pic;
} decimal_attr;

typedef struct {
	struct {
		int alloc;
		int size;
		void *limbs;
	} value;
	int scale;
} cob_decimal;

enum {
	PACKED = 0x12, ZONED = 0x10, BINARY = 0x11, NUMERIC = 0x10, CHARACTERS = 0x21, EDITED = 0x24,
	HAVE_SIGN = 1, SIGN_SEPARATE = 2, SIGN_LEADING = 4, REAL_BINARY = 0x40, NO_SIGN_NIBBLE = 0x100,
	SIZE_ERROR = 2
};

static struct {
	void (*check_linkage)(const unsigned char *, const char *, int);
	void (*check_based)(const unsigned char *, const char *);
	int (*is_numeric)(const cob_field *);
	void (*move)(cob_field *, cob_field *);
	int (*get_int)(cob_field *);
	int (*cmp)(cob_field *, cob_field *);
	int (*numeric_cmp)(cob_field *, cob_field *);
	int (*cmp_float)(cob_field *, cob_field *);
	int (*cmp_llint)(cob_field *, long long);
	int (*cmp_packed)(cob_field *, long long);
	int (*cmp_numdisp)(const unsigned char *, size_t, long long, unsigned int);
	long long (*get_llint)(cob_field *);
	void (*add)(cob_field *, cob_field *, int);
	void (*sub)(cob_field *, cob_field *, int);
	void (*mul)(cob_field *, cob_field *, int);
	void (*div)(cob_field *, cob_field *, int);
	void (*div_quotient)(cob_field *, cob_field *, cob_field *, int);
	int (*add_int)(cob_field *, int, int);
	int (*sub_int)(cob_field *, int, int);
	void (*set_field)(cob_decimal *, cob_field *);
	void (*decimal_div)(cob_decimal *, cob_decimal *);
	void (*decimal_align)(cob_decimal *, int);
	int (*decimal_cmp)(cob_decimal *, cob_decimal *);
	int (*get_field)(cob_decimal *, cob_field *, int);
} decimal;

static const decimal_attr *attr_of(const cob_field *f)
{
	return f ? (const decimal_attr *)f->attr : NULL;
}

static int is_packed(const cob_field *f)
{
	return attr_of(f) && attr_of(f)->type == PACKED;
}

static int is_zoned(const cob_field *f)
{
	return attr_of(f) && attr_of(f)->type == ZONED;
}

static int is_number(const cob_field *f)
{
	return attr_of(f) && (attr_of(f)->type & NUMERIC);
}

#include "floating.c"

static void data_exception(const cob_field *f, const char *name)
{
	char text[160];
	int at = snprintf(text, sizeof text, "data exception (0C7): %s holds X'", name);
	size_t i;

	for (i = 0; i < f->size && i < 20; i++) {
		at += snprintf(text + at, sizeof text - (size_t)at, "%02X", f->data[i]);
	}
	snprintf(text + at, sizeof text - (size_t)at, "%s'%s", i < f->size ? "..." : "",
		is_packed(f) ? ", which is not a packed number" : ", which is not a number");
	end_statement();
	fault(text);
}

/* Items that cob_check_numeric was called for last. Only programs that are
 * compiled with checks call it, so an item that is not here is not checked. */
enum { CHECKED_ITEMS = 8 };
static struct {
	const unsigned char *data;
	const char *name;
} checked_items[CHECKED_ITEMS];
static unsigned int next_checked;

static void remember_checked(const unsigned char *data, const char *name)
{
	const unsigned int at = next_checked++ % CHECKED_ITEMS;

	checked_items[at].data = data;
	checked_items[at].name = name;
}

/* The item's name if the program is compiled with checks. */
static const char *checked_name(const unsigned char *data)
{
	unsigned int i;

	for (i = 0; i < CHECKED_ITEMS; i++) {
		if (checked_items[i].data == data) {
			return checked_items[i].name;
		}
	}
	return NULL;
}

/* Programs are about to go, and the names in them. */
static inline void forget_checked(void)
{
	memset(checked_items, 0, sizeof checked_items);
}

#include "zoned.c"
#include "characters.c"

static void check_packed(const cob_field *f)
{
	const unsigned char *p = f->data;
	size_t i, digits;

	if (!f->size) {
		return;
	}
	digits = 2 * f->size - !(attr_of(f)->flags & NO_SIGN_NIBBLE);
	for (i = 0; i < digits; i++) {
		if ((i & 1 ? p[i / 2] & 15 : p[i / 2] >> 4) > 9) {
			data_exception(f, "an item");
			return;
		}
	}
	if ((digits & 1) && (p[f->size - 1] & 15) < 10) {
		data_exception(f, "an item");
	}
}

/* An operand of arithmetic. */
static cob_field *operand(cob_field *f)
{
	if (is_zoned(f)) {
		return zoned_operand(f, 1);
	}
	if (is_packed(f)) {
		check_packed(f);
	}
	return f;
}

/* An operand of a comparison, which goes on with invalid zoned digits. */
static cob_field *compared(cob_field *f)
{
	return is_zoned(f) ? zoned_operand(f, 0) : operand(f);
}

/* An item that is computed with and then replaced by the result. */
static cob_field *accumulator(cob_field *f)
{
	cob_field *clean = operand(f);

	if (clean != f) {
		memcpy(f->data, clean->data, f->size);
	}
	return f;
}

static void zero_divide(void)
{
	end_statement();
	fault("division by zero (0CB) without ON SIZE ERROR");
}

EXPORT void cob_check_linkage(const unsigned char *item, const char *name, const int use)
{
	if (!item && use && !address_may_be_null()) {
		decimal.check_linkage(item, name, use);
	}
}

/* From 3.2 on an item that is shorter than the LINKAGE SECTION has it ends the
 * program. z/OS passes addresses, and what is not there is found when it is used. */
EXPORT int cob_check_linkage_size(const char *entry, const char *name, const unsigned int place,
	const int optional, const unsigned long size, const char **sources, const unsigned int stmt)
{
	(void)entry, (void)name, (void)place, (void)optional, (void)size, (void)sources, (void)stmt;
	return 0;
}

EXPORT void cob_check_based(const unsigned char *item, const char *name)
{
	if (!item && !address_may_be_null()) {
		decimal.check_based(item, name);
	}
}

EXPORT void cob_check_numeric(const cob_field *f, const char *name)
{
	if (is_zoned(f)) {
		remember_checked(f->data, name);
	} else if (!decimal.is_numeric(f)) {
		data_exception(f, name);
	}
}

/* The class test: an overpunched sign of EBCDIC is a sign, as with
 * NUMPROC(NOPFD); the zones of the other digits count. */
EXPORT int cob_is_numeric(const cob_field *f)
{
	unsigned char mended[ZONED_BYTES];
	const int numeric = decimal.is_numeric(f);
	size_t i, sign;

	if (numeric || !is_zoned(f) || zoned_state(f, mended) != ZONED_MENDED) {
		return numeric;
	}
	sign = sign_place(f);
	for (i = 0; i < f->size; i++) {
		const int zone = zoned_byte(f->data[i]) >> 4;
		const int minus = f->data[i] >= 'p' && f->data[i] <= 'y';

		if (i == sign ? zone != 12 && zone != 13 && !minus : f->data[i] < '0' || f->data[i] > '9') {
			return 0;
		}
	}
	return 1;
}

/* Two unsigned zoned items of the same form: z/OS moves the bytes and sets the
 * last zone. */
static int moves_as_bytes(const cob_field *from, const cob_field *to)
{
	return is_zoned(to) && from->size == to->size && attr_of(from)->scale == attr_of(to)->scale
		&& !(attr_of(from)->flags & HAVE_SIGN) && !(attr_of(to)->flags & HAVE_SIGN);
}

/* Characters that are moved to a number count as an unsigned integer whose digits
 * they are, blanks as zeros; of more than DIGITS characters the last count.
 * Nothing is done where all are digits already, or one is not a digit at all. */
static int move_characters(const cob_field *from, cob_field *to)
{
	enum { DIGITS = 31 };
	const size_t size = from->size < DIGITS ? from->size : DIGITS;
	const decimal_attr unsigned_integer = { ZONED, (unsigned short)size, 0, 0, NULL };
	cob_field digits = { size, from->data + (from->size - size), (const void *)&unsigned_integer };
	unsigned char mended[ZONED_BYTES];

	if (zoned_state(&digits, mended) != ZONED_MENDED) {
		return 0;
	}
	cob_move(&digits, to);
	return 1;
}

EXPORT void cob_move(cob_field *from, cob_field *to)
{
	if (attr_of(from) && attr_of(from)->type == CHARACTERS && attr_of(to)
		&& (is_number(to) || attr_of(to)->type == EDITED) && move_characters(from, to)) {
		return;
	}
	if (is_zoned(from) && attr_of(to) && (is_number(to) || attr_of(to)->type == EDITED)) {
		unsigned char mended[ZONED_BYTES];

		if (moves_as_bytes(from, to) && zoned_state(from, mended) != ZONED_CLEAN) {
			const unsigned char last = zoned_byte(from->data[from->size - 1]) & 15;

			memmove(to->data, from->data, from->size);
			if (last < 10) {
				to->data[to->size - 1] = (unsigned char)('0' + last);
			}
			return;
		}
		from = zoned_operand(from, 1);
	}
	if (!move_floating(from, to)) {
		decimal.move(is_group(to) ? from : as_characters(from), to);
	}
}

EXPORT int cob_get_int(cob_field *f)
{
	return decimal.get_int(operand(f));
}

/* A digit of a zoned item without its zone; an invalid one is a data exception. */
static int digit_of(const unsigned char *data, int size, int at)
{
	const int digit = zoned_byte(data[at]) & 15;
	const char *name = digit > 9 ? checked_name(data) : NULL;

	if (name) {
		cob_field item = { (size_t)size, (unsigned char *)data, NULL };
		data_exception(&item, name);
	}
	return digit > 9 ? 0 : digit;
}

/* The compiler writes this one and the next into each module, for unsigned and
 * for signed zoned items. */
EXPORT int cob_get_numdisp(const void *data, const int size)
{
	int i, n = 0;

	for (i = 0; i < size; i++) {
		n = n * 10 + digit_of(data, size, i);
	}
	return n;
}

EXPORT int cob_get_numdisps(const void *data, const int size)
{
	static const decimal_attr attr = { ZONED, 9, 0, HAVE_SIGN, NULL };
	cob_field item = { (size_t)size, (unsigned char *)data, (const void *)&attr };

	return (int)decimal.get_llint(zoned_operand(&item, 1));
}

/* What the header of each module (translator/c/tupelo.h) adds to the sign of an
 * item that is compared with a literal. */
enum { WITH_LITERAL = 2 };

/* An unsigned item against the digits of a literal: z/OS compares characters, with
 * NUMPROC(NOPFD) and with OPT(1) and OPT(2) (APAR PI31403). */
static int compare_characters(const unsigned char *data, size_t size, long long n)
{
	size_t i;
	int order = 0;

	for (i = size; i-- > 0; n /= 10) {
		const int character = zoned_byte(data[i]), digit = 0xF0 + (int)(n % 10);

		if (character != digit) {
			order = character < digit ? -1 : 1;
		}
	}
	return n ? -1 : order;
}

/* A zoned item of up to 18 digits with a number: digits count, not zones. */
EXPORT int cob_cmp_numdisp(const unsigned char *data, const size_t size, const long long n,
	const unsigned int form)
{
	static const decimal_attr attrs[2] = { { ZONED, 18, 0, 0, NULL }, { ZONED, 18, 0, HAVE_SIGN, NULL } };
	const unsigned int sign = form & 1;
	unsigned char mended[ZONED_BYTES];
	const cob_field item = { size, (unsigned char *)data, (const void *)&attrs[sign] };
	const enum zoned_state state = zoned_state(&item, mended);

	if (state != ZONED_CLEAN && !sign && n >= 0 && (form & WITH_LITERAL)) {
		return compare_characters(data, size, n);
	}
	return decimal.cmp_numdisp(state == ZONED_MENDED ? mended : data, size, n, sign);
}

EXPORT int cob_cmp(cob_field *a, cob_field *b)
{
	if (is_number(a) && is_number(b)) {
		a = compared(a);
		b = compared(b);
	}
	return decimal.cmp(as_characters(a), as_characters(b));
}

EXPORT int cob_numeric_cmp(cob_field *a, cob_field *b)
{
	return decimal.numeric_cmp(compared(a), compared(b));
}

EXPORT int cob_cmp_float(cob_field *a, cob_field *b)
{
	return decimal.cmp_float(compared(a), compared(b));
}

EXPORT int cob_cmp_llint(cob_field *f, const long long n)
{
	return decimal.cmp_llint(compared(f), n);
}

EXPORT int cob_cmp_packed(cob_field *f, const long long n)
{
	return decimal.cmp_packed(compared(f), n);
}

/* The value of a packed item of up to 17 digits, its digits looked at on the
 * way; 0 for a longer one or one without a sign nibble, which go on in decimal. */
static int short_packed(const cob_field *f, long long *value)
{
	const unsigned char *p = f->data;
	const size_t last = f->size - 1;
	long long n = 0;
	size_t i;

	if (!f->size || f->size > 9 || (attr_of(f)->flags & NO_SIGN_NIBBLE)) {
		return 0;
	}
	for (i = 0; i <= last; i++) {
		const int high = p[i] >> 4, low = p[i] & 15;

		if (high > 9 || (i < last) == (low > 9)) {
			data_exception(f, "an item");
			return 0;
		}
		n = n * 10 + high;
		if (i < last) {
			n = n * 10 + low;
		}
	}
	*value = (p[last] & 15) == 13 || (p[last] & 15) == 11 ? -n : n;
	return 1;
}

/* This and the next two stand in for functions that the compiler writes into
 * each module. */
EXPORT int cob_cmp_packed_int(cob_field *f, const long long n)
{
	long long value;

	if (short_packed(f, &value)) {
		return value < n ? -1 : value > n;
	}
	return decimal.cmp_llint(compared(f), n);
}

EXPORT int cob_get_packed_int(cob_field *f)
{
	long long value;

	if (short_packed(f, &value)) {
		return (int)value;
	}
	check_packed(f);
	return (int)decimal.get_llint(f);
}

/* From 3.2 on, for items of 10 to 18 digits. */
EXPORT long long cob_get_packed_int64(cob_field *f)
{
	long long value;

	if (short_packed(f, &value)) {
		return value;
	}
	check_packed(f);
	return decimal.get_llint(f);
}

EXPORT int cob_add_packed_int(cob_field *f, const int n)
{
	static const long long limits[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000
	};
	const decimal_attr *attr = attr_of(f);
	long long value;
	size_t i;

	if (!short_packed(f, &value)) {
		check_packed(f);
		return n ? decimal.add_int(f, n, 0) : 0;
	}
	/* A number that keeps its sign and its digits is written in place. */
	if (attr->digits > 9 || attr->scale || value < 0 || n < 0 || value + n >= limits[attr->digits]) {
		return n ? decimal.add_int(f, n, 0) : 0;
	}
	value += n;
	for (i = f->size; i-- > 0;) {
		const int low = i + 1 == f->size ? f->data[i] & 15 : (int)(value % 10);

		if (i + 1 < f->size) {
			value /= 10;
		}
		f->data[i] = (unsigned char)(value % 10 << 4 | low);
		value /= 10;
	}
	return 0;
}

EXPORT int cob_add_packed_int64(cob_field *f, const long long n)
{
	static const decimal_attr binary = { BINARY, 18, 0, HAVE_SIGN | REAL_BINARY, NULL };
	long long value = n;
	cob_field number = { sizeof value, (unsigned char *)&value, (const void *)&binary };

	check_packed(f);
	if (n) {
		decimal.add(f, &number, 0);
	}
	return 0;
}

EXPORT long long cob_get_llint(cob_field *f)
{
	return decimal.get_llint(operand(f));
}

EXPORT void cob_add(cob_field *a, cob_field *b, const int options)
{
	a = accumulator(a);
	b = operand(b);
	if (!compute_floating(a, b, floating.add, options)) {
		decimal.add(a, b, options);
	}
}

EXPORT void cob_sub(cob_field *a, cob_field *b, const int options)
{
	a = accumulator(a);
	b = operand(b);
	if (!compute_floating(a, b, floating.sub, options)) {
		decimal.sub(a, b, options);
	}
}

EXPORT void cob_mul(cob_field *a, cob_field *b, const int options)
{
	a = accumulator(a);
	b = operand(b);
	if (!compute_floating(a, b, floating.mul, options)) {
		decimal.mul(a, b, options);
	}
}

static cob_field *divisor(cob_field *f, int options)
{
	f = operand(f);
	if (!(options & SIZE_ERROR) && decimal.cmp_llint(f, 0) == 0) {
		zero_divide();
	}
	return f;
}

EXPORT void cob_div(cob_field *a, cob_field *b, const int options)
{
	a = accumulator(a);
	b = divisor(b, options);
	if (decimal.cmp_llint(b, 0) == 0 || !compute_floating(a, b, floating.div, options)) {
		decimal.div(a, b, options);
	}
}

EXPORT void cob_div_quotient(cob_field *a, cob_field *b, cob_field *quotient, const int options)
{
	a = operand(a);
	decimal.div_quotient(a, divisor(b, options), quotient, options);
}

EXPORT int cob_add_int(cob_field *f, const int n, const int options)
{
	f = accumulator(f);
	return add_to_floating(f, n, options) ? 0 : decimal.add_int(f, n, options);
}

EXPORT int cob_sub_int(cob_field *f, const int n, const int options)
{
	f = accumulator(f);
	return add_to_floating(f, -n, options) ? 0 : decimal.sub_int(f, n, options);
}

EXPORT void cob_decimal_set_field(cob_decimal *d, cob_field *f)
{
	begin_operand(is_floating_operand(f));
	decimal.set_field(d, operand(f));
}

EXPORT void cob_decimal_div(cob_decimal *a, cob_decimal *b)
{
	const int by_zero = b->value.size == 0;

	decimal.decimal_div(a, b);
	if (by_zero) {
		undefined_scale = a->scale;
	}
}

/* A number that is none has a scale that must not be lost. */
EXPORT void cob_decimal_align(cob_decimal *d, const int scale)
{
	if (!is_undefined(d)) {
		decimal.decimal_align(d, scale);
	}
}

EXPORT int cob_decimal_cmp(cob_decimal *a, cob_decimal *b)
{
	int order;

	if (is_undefined(a) || is_undefined(b)) {
		zero_divide();
	}
	end_statement();
	return compare_floating(a, b, &order) ? order : decimal.decimal_cmp(a, b);
}

EXPORT int cob_decimal_get_field(cob_decimal *d, cob_field *f, const int options)
{
	if (is_undefined(d) && !(options & SIZE_ERROR)) {
		zero_divide();
	}
	end_statement();
	return store_result(d, f, options);
}

/* Finds the entries that stand behind those above; false if one is missing. */
static int bind_decimal(void *handle)
{
	static const struct {
		void *place;
		const char *name;
	} all[] = {
		{ &decimal.check_linkage, "cob_check_linkage" },
		{ &decimal.check_based, "cob_check_based" },
		{ &decimal.is_numeric, "cob_is_numeric" },
		{ &decimal.move, "cob_move" },
		{ &decimal.get_int, "cob_get_int" },
		{ &decimal.cmp, "cob_cmp" },
		{ &decimal.numeric_cmp, "cob_numeric_cmp" },
		{ &decimal.cmp_float, "cob_cmp_float" },
		{ &decimal.cmp_llint, "cob_cmp_llint" },
		{ &decimal.cmp_packed, "cob_cmp_packed" },
		{ &decimal.cmp_numdisp, "cob_cmp_numdisp" },
		{ &decimal.get_llint, "cob_get_llint" },
		{ &decimal.add, "cob_add" },
		{ &decimal.sub, "cob_sub" },
		{ &decimal.mul, "cob_mul" },
		{ &decimal.div, "cob_div" },
		{ &decimal.div_quotient, "cob_div_quotient" },
		{ &decimal.add_int, "cob_add_int" },
		{ &decimal.sub_int, "cob_sub_int" },
		{ &decimal.set_field, "cob_decimal_set_field" },
		{ &decimal.decimal_div, "cob_decimal_div" },
		{ &decimal.decimal_align, "cob_decimal_align" },
		{ &decimal.decimal_cmp, "cob_decimal_cmp" },
		{ &decimal.get_field, "cob_decimal_get_field" },
	};
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++) {
		void *entry = dlsym(handle, all[i].name);

		if (!entry) {
			return 0;
		}
		memcpy(all[i].place, &entry, sizeof entry);
	}
	return bind_floating(handle) && bind_characters(handle);
}

