/* Floating-point numbers and the numbers that they are stored into.
 *
 * A result of floating-point arithmetic is rounded when an item of fixed point
 * receives it, with and without ROUNDED, and so is a floating-point item that is
 * moved to one; libcob cuts the places off. An expression is of floating point if
 * it has a floating-point item, a function of that kind, or an exponent with decimal
 * places. A fixed-point number becomes the nearest floating-point number; libcob
 * takes the next one towards zero, so that 0.1 is 0.09999999999999999.
 *
 * This file is included by decimal.c, which has the entries that call it.
 * Reference: Enterprise COBOL Programming Guide, "Conversions and precision",
 * "Fixed-point contrasted with floating-point arithmetic"; Language Reference,
 * "ROUNDED phrase".
 */
#include <stdarg.h>

EXPORT void cob_move(cob_field *from, cob_field *to);

enum { SHORT_FLOATING = 0x13, LONG_FLOATING = 0x14, ROUNDED = 1 };

static struct {
	void (*init)(cob_decimal *);
	void (*set_llint)(cob_decimal *, long long);
	void (*add)(cob_decimal *, cob_decimal *);
	void (*sub)(cob_decimal *, cob_decimal *);
	void (*mul)(cob_decimal *, cob_decimal *);
	void (*div)(cob_decimal *, cob_decimal *);
	void (*pow)(cob_decimal *, cob_decimal *);
	char *(*digits)(char *, int, const void *);
	int ready;
	cob_decimal left, right;
} floating;

/* Scale of a decimal that came of a division by zero; known from the first. */
static int undefined_scale;

/* What the statement under way computes with. Its operands come first, then a
 * comparison or one result or more. */
static struct {
	int is_floating;
	int has_result;
} statement;

/* The result of the last function of floating point. */
static const cob_field *floating_result;

static int is_undefined(const cob_decimal *d)
{
	return undefined_scale && d->scale == undefined_scale;
}

static int is_floating(const cob_field *f)
{
	return attr_of(f) && (attr_of(f)->type == SHORT_FLOATING || attr_of(f)->type == LONG_FLOATING);
}

static int is_floating_operand(const cob_field *f)
{
	return is_floating(f) || (f && f == floating_result);
}

static void end_statement(void)
{
	statement.has_result = 1;
	floating_result = NULL;
}

static void begin_operand(int with_floating)
{
	if (statement.has_result) {
		statement.has_result = 0;
		statement.is_floating = 0;
	}
	statement.is_floating |= with_floating;
}

/* A decimal as text; false if it has too many digits. */
enum { LIMBS = 24, DECIMAL_TEXT = LIMBS * 20 + 32 };
static int decimal_text(const cob_decimal *d, char text[DECIMAL_TEXT])
{
	const int limbs = d->value.size < 0 ? -d->value.size : d->value.size;
	size_t end;

	if (limbs > LIMBS || is_undefined(d)) {
		return 0;
	}
	floating.digits(text, 10, &d->value);
	end = strlen(text);
	snprintf(text + end, DECIMAL_TEXT - end, "e%d", -d->scale);
	return 1;
}

/* Stores a decimal into a floating-point item as the nearest number; false if it
 * has too many digits or is too large, which libcob shall see. */
static int store_nearest(const cob_decimal *d, cob_field *f)
{
	char text[DECIMAL_TEXT];
	double value;

	if (!decimal_text(d, text)) {
		return 0;
	}
	if (attr_of(f)->type == SHORT_FLOATING) {
		const float nearest = strtof(text, NULL);

		memcpy(f->data, &nearest, sizeof nearest);
		value = nearest;
	} else {
		value = strtod(text, NULL);
		memcpy(f->data, &value, sizeof value);
	}
	return value - value == 0;
}

/* Compares two decimals of a floating-point expression as floating-point numbers;
 * false if the expression is not one. */
static int compare_floating(const cob_decimal *a, const cob_decimal *b, int *order)
{
	char left[DECIMAL_TEXT], right[DECIMAL_TEXT];
	double x, y;

	if (!statement.is_floating || !decimal_text(a, left) || !decimal_text(b, right)) {
		return 0;
	}
	x = strtod(left, NULL);
	y = strtod(right, NULL);
	*order = x < y ? -1 : x > y;
	return 1;
}

/* The places of a floating-point result that do not fit are rounded. */
static int store_result(cob_decimal *d, cob_field *f, int options)
{
	if (is_floating(f) && store_nearest(d, f)) {
		return 0;
	}
	return decimal.get_field(d, f, statement.is_floating ? options | ROUNDED : options);
}

static void prepare_decimals(void)
{
	if (!floating.ready) {
		floating.init(&floating.left);
		floating.init(&floating.right);
		floating.ready = 1;
	}
}

/* A move from or to a floating-point item; false if it is not one. */
static int move_floating(cob_field *from, cob_field *to)
{
	if (!(is_floating_operand(from) || is_floating(to)) || !is_number(from)
		|| !(is_number(to) || (attr_of(to) && attr_of(to)->type == EDITED))) {
		return 0;
	}
	prepare_decimals();
	decimal.set_field(&floating.left, from);
	if (!is_floating(to) || !store_nearest(&floating.left, to)) {
		decimal.get_field(&floating.left, to, ROUNDED);
	}
	floating_result = NULL;
	return 1;
}

/* ADD, SUBTRACT, MULTIPLY or DIVIDE of two items, one of them of floating point;
 * false if neither is. */
static int compute_floating(cob_field *a, cob_field *b, void (*operation)(cob_decimal *, cob_decimal *), int options)
{
	if (!is_floating(a) && !is_floating_operand(b)) {
		return 0;
	}
	prepare_decimals();
	decimal.set_field(&floating.left, a);
	decimal.set_field(&floating.right, b);
	operation(&floating.left, &floating.right);
	if (!is_floating(a) || !store_nearest(&floating.left, a)) {
		decimal.get_field(&floating.left, a, options | ROUNDED);
	}
	floating_result = NULL;
	return 1;
}

/* Adds an integer to a floating-point item; false if it is not one. */
static int add_to_floating(cob_field *a, int n, int options)
{
	static const decimal_attr binary = { BINARY, 9, 0, HAVE_SIGN | REAL_BINARY, NULL };
	cob_field number = { sizeof n, (unsigned char *)&n, (const void *)&binary };

	return is_floating(a) && compute_floating(a, &number, floating.add, options);
}

/* Functions of one argument whose results are of floating point. Functions with a list
 * of arguments, such as VARIANCE, are not marked: their arguments cannot be passed on. */
#define FLOATING_FUNCTIONS(F) F(acos) F(asin) F(atan) F(cos) F(exp) F(exp10) F(log) F(log10) \
	F(sin) F(sqrt) F(tan)
#define POINTER(NAME) cob_field *(*NAME)(cob_field *);
#define ENTRY(NAME) \
	EXPORT cob_field *cob_intr_##NAME(cob_field *f) { return floating_value(floating_functions.NAME(f)); }
#define ROW(NAME) { &floating_functions.NAME, "cob_intr_" #NAME },

static struct {
	FLOATING_FUNCTIONS(POINTER)
	cob_field *(*annuity)(cob_field *, cob_field *);
	cob_field *(*e)(void);
	cob_field *(*pi)(void);
	cob_field *(*random)(int, ...);
} floating_functions;

static cob_field *floating_value(cob_field *f)
{
	floating_result = f;
	return f;
}

FLOATING_FUNCTIONS(ENTRY)

EXPORT cob_field *cob_intr_annuity(cob_field *rate, cob_field *periods)
{
	return floating_value(floating_functions.annuity(rate, periods));
}

EXPORT cob_field *cob_intr_e(void)
{
	return floating_value(floating_functions.e());
}

EXPORT cob_field *cob_intr_pi(void)
{
	return floating_value(floating_functions.pi());
}

EXPORT cob_field *cob_intr_random(const int params, ...)
{
	cob_field *seed = NULL;
	va_list args;

	va_start(args, params);
	if (params > 0) {
		seed = va_arg(args, cob_field *);
	}
	va_end(args);
	return floating_value(params > 0 ? floating_functions.random(1, seed) : floating_functions.random(0));
}

EXPORT void cob_decimal_set_llint(cob_decimal *d, const long long n)
{
	begin_operand(0);
	floating.set_llint(d, n);
}

/* An exponent with decimal places makes the expression one of floating point. */
EXPORT void cob_decimal_pow(cob_decimal *base, cob_decimal *exponent)
{
	statement.is_floating |= exponent->scale > 0;
	floating.pow(base, exponent);
}

/* Finds libcob's entries; false if one is missing. */
static int bind_floating(void *handle)
{
	static const struct {
		void *place;
		const char *name;
	} all[] = {
		{ &floating.init, "cob_decimal_init" },
		{ &floating.set_llint, "cob_decimal_set_llint" },
		{ &floating.add, "cob_decimal_add" },
		{ &floating.sub, "cob_decimal_sub" },
		{ &floating.mul, "cob_decimal_mul" },
		{ &floating.div, "cob_decimal_div" },
		{ &floating.pow, "cob_decimal_pow" },
		{ &floating.digits, "__gmpz_get_str" },
		FLOATING_FUNCTIONS(ROW)
		{ &floating_functions.annuity, "cob_intr_annuity" },
		{ &floating_functions.e, "cob_intr_e" },
		{ &floating_functions.pi, "cob_intr_pi" },
		{ &floating_functions.random, "cob_intr_random" },
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
