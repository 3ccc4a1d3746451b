/* The C side of a batch program's process: between libcob's file statements and
 * the file handler.
 *
 * This object is loaded before libcob, so that its entries are found first: by
 * programs (compiled with -fcallfh) and by libcob itself, whose SORT and Report
 * Writer use files too. Each statement goes on to libcob's cob_extfh_ entry of
 * its kind, which makes the FCD3 and calls back tupelo_file_handler; behind it,
 * RELATIVE KEY and DEPENDING ON are set, which that entry leaves out.
 *
 * Only the first members of libcob's structures are declared; libcob adds new
 * ones at the end.
 * Reference: Micro Focus, "External File Handler", FCD3 and its operations.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct {
	unsigned short type;
	unsigned short digits;
	short scale;
	unsigned short flags;
	const void *pic;
} cob_attr;

typedef struct {
	size_t size;
	unsigned char *data;
	const cob_attr *attr;
} cob_field;

/* The first member of a key; their number of bytes is not needed. */
typedef struct {
	cob_field *field;
} cob_key;

typedef struct {
	const char *select_name;
	unsigned char *file_status;
	cob_field *assign;
	cob_field *record;
	cob_field *variable_record;
	cob_key *keys;
	void *file;
	void *linorkeyptr;
	const unsigned char *sort_collating;
	void *extfh_ptr;
	size_t record_min;
	size_t record_max;
	size_t nkeys;
	int fd;
	unsigned char organization;
} cob_file;

enum { ORG_OF_RELATIVE = 2 };

/* The first members of a module, to the names of its source files. */
typedef struct {
	void *pointers[12];
	unsigned int numbers[6];
	int num_params;
	unsigned char ebcdic_sign;
	unsigned char settings[15];
	unsigned int stmt;
	const char **sources;
} cob_module;

typedef struct {
	void *error_file;
	const cob_module *current_module;
	void *names[13];
	int exception_code;
	int call_params;
} cob_global;

typedef struct {
	unsigned char count[2];
	unsigned char offset[2];
	unsigned char flags;
	unsigned char comp_flags;
	unsigned char sparse;
	unsigned char reserved[9];
} kdb_key;

typedef struct {
	unsigned char bytes[2];
	char filler[4];
	unsigned char nkeys[2];
	char filler2[6];
	kdb_key key[64];
} kdb;

typedef struct {
	unsigned char desc;
	unsigned char type;
	unsigned char pos[4];
	unsigned char len[4];
} extkey;

typedef struct {
	unsigned char status[2];
	unsigned char bytes[2];
	char version;
	unsigned char org;
	unsigned char access;
	unsigned char open_mode;
	unsigned char record_mode;
	unsigned char format[11];
	unsigned char status_type;
	unsigned char other_flags;
	unsigned char flags[11];
	char res3[14];
	unsigned char gc_flags;
	unsigned char ids[4];
	char retry_open[2];
	unsigned char name_len[2];
	unsigned char index_name_len[2];
	char retry[2];
	unsigned char ref_key[2];
	unsigned char lines[2];
	unsigned char use_files;
	unsigned char give_files;
	unsigned char key_len[2];
	char res5[14];
	unsigned char eop[2];
	unsigned char opt[4];
	unsigned char cur_len[4];
	unsigned char min_len[4];
	unsigned char max_len[4];
	char session[4];
	char res6[24];
	unsigned char rba[8];
	unsigned char max_rel[8];
	unsigned char rel[8];
	void *handle;
	unsigned char *record;
	char *name;
	char *index_name;
	kdb *keys;
	void *rest[3];
} fcd3;

_Static_assert(offsetof(fcd3, status_type) == 20, "FCD3");
_Static_assert(offsetof(fcd3, ref_key) == 60, "FCD3");
_Static_assert(offsetof(fcd3, opt) == 84, "FCD3");
_Static_assert(offsetof(fcd3, rel) == 144, "FCD3");
_Static_assert(sizeof(fcd3) == 216, "FCD3");

enum { MOST_KEYS = 64, OPTIONAL = 0x80, NOT_OPEN = 0x80 };

typedef struct {
	uint32_t offset;
	uint32_t length;
} tb_key;

/* A statement, as the handler is given it. */
typedef struct {
	uint32_t op;
	uint32_t org;
	uint32_t access;
	uint32_t optional;
	uint32_t variable;
	uint32_t min;
	uint32_t max;
	uint32_t length;
	uint32_t options;
	uint32_t ref_key;
	uint32_t key_length;
	uint32_t nkeys;
	uint32_t name_length;
	uint32_t area;
	uint64_t rrn;
	uint64_t max_rrn;
	uintptr_t file;
	const char *name;
	unsigned char *record;
	tb_key keys[MOST_KEYS];
	/* The answer, with length and rrn above. */
	unsigned char status[2];
	unsigned char opened;   /* FCD3's open mode, or NOT_OPEN */
	unsigned char split;    /* a key of several parts */
} tb_request;

typedef struct {
	void (*serve)(tb_request *);
	/* STOP RUN with its status, a run-time error, or an abend that the program
	 * asks for; does not return. */
	void (*stop)(int status, int why);
	/* A JSON or XML statement with its operands; why the program must end, or
	 * NULL. */
	const char *(*statement)(cob_field **params, int count, int ebcdic_sign);
	/* EXEC SQL (0), DSNTIAR (1), DSNTIAC (2); the return code. */
	int (*sql)(int what, cob_field **params, int count);
	/* A service of Language Environment by its name, for a program at a line: -1,
	 * or the user abend that it ends with. */
	int (*service)(const char *name, cob_field **params, int count, const char *program,
		unsigned int line);
} tb_handlers;

enum { STOPPED, FAILED, ABENDED };

static tb_handlers on;
static const char *libcob_base;
static cob_global *glob;
static cob_file *current;
static fcd3 *last;
/* Bytes of the record that a WRITE or REWRITE is of; 0 for other statements. */
static uint32_t written;

static int (*set_int)(cob_field *, int);
static int (*get_int)(cob_field *);
static struct {
	void (*open)(void *, cob_file *, int, int, cob_field *);
	void (*close)(void *, cob_file *, cob_field *, int, int);
	void (*read)(void *, cob_file *, cob_field *, cob_field *, int);
	void (*read_next)(void *, cob_file *, cob_field *, int);
	void (*write)(void *, cob_file *, cob_field *, int, cob_field *, unsigned int);
	void (*rewrite)(void *, cob_file *, cob_field *, int, cob_field *);
	void (*delete)(void *, cob_file *, cob_field *);
	void (*start)(void *, cob_file *, int, cob_field *, cob_field *, cob_field *);
} libcob;

static uint32_t get(const unsigned char *at, int bytes)
{
	uint32_t n = 0;

	while (bytes-- > 0) {
		n = n << 8 | *at++;
	}
	return n;
}

static void put(unsigned char *at, int bytes, uint64_t n)
{
	while (bytes-- > 0) {
		at[bytes] = (unsigned char)n;
		n >>= 8;
	}
}

static void take_keys(const kdb *keys, tb_request *r)
{
	uint32_t i;

	r->nkeys = keys ? get(keys->nkeys, 2) : 0;
	if (r->nkeys > MOST_KEYS) {
		r->nkeys = MOST_KEYS;
	}
	for (i = 0; i < r->nkeys; i++) {
		const extkey *part = (const extkey *)((const char *)keys + get(keys->key[i].offset, 2));

		if (get(keys->key[i].count, 2) != 1) {
			r->split = 1;
		}
		r->keys[i].offset = get(part->pos, 4);
		r->keys[i].length = get(part->len, 4);
	}
}

/* The greatest number that the RELATIVE KEY holds. */
static uint64_t greatest(const cob_file *f)
{
	const cob_field *key = f && f->organization == ORG_OF_RELATIVE && f->keys ? f->keys->field : NULL;
	uint64_t n = 1;
	int digits = key && key->attr ? key->attr->digits : 0;

	if (digits < 1 || digits > 18) {
		return UINT64_MAX;
	}
	while (digits-- > 0) {
		n *= 10;
	}
	return n - 1;
}

EXPORT int tupelo_file_handler(unsigned char *opcode, void *block)
{
	static tb_request r;
	fcd3 *fcd = block;

	last = fcd;
	memset(&r, 0, sizeof r);
	r.op = get(opcode, 2);
	r.org = fcd->org;
	r.access = fcd->access & 0x7f;
	r.optional = !!(fcd->other_flags & OPTIONAL);
	r.variable = fcd->record_mode;
	r.min = get(fcd->min_len, 4);
	r.max = get(fcd->max_len, 4);
	r.length = r.variable && written ? written : get(fcd->cur_len, 4);
	r.options = get(fcd->opt, 4);
	r.ref_key = get(fcd->ref_key, 2);
	r.key_length = get(fcd->key_len, 2);
	r.name_length = get(fcd->name_len, 2);
	r.area = r.max > get(fcd->cur_len, 4) ? r.max : get(fcd->cur_len, 4);
	r.rrn = get(fcd->rel + 4, 4);
	r.max_rrn = greatest(current);
	r.file = (uintptr_t)current;
	r.name = fcd->name;
	r.record = fcd->record;
	if (fcd->org == 2) {
		take_keys(fcd->keys, &r);
	}
	memcpy(r.status, "30", 2);
	r.opened = fcd->open_mode;
	on.serve(&r);
	memcpy(fcd->status, r.status, 2);
	put(fcd->cur_len, 4, r.length);
	put(fcd->rel, 8, r.rrn);
	fcd->open_mode = r.opened;
	return r.status[0] == '0' ? 0 : get(r.status, 2);
}

/* libcob's entries read the RELATIVE KEY of every relative file; one that is
 * read in sequence needs none. From 3.2 on they leave the last statement's
 * exception, and do not say whose file it is of. */
static void enter(cob_file *f)
{
	static unsigned char digits[9];
	static const cob_attr attr = { 0x10, 9, 0, 0, NULL };
	static cob_field none = { sizeof digits, digits, &attr };
	static cob_key key;

	current = f;
	last = NULL;
	written = 0;
	glob->exception_code = 0;
	glob->error_file = f;
	if (f->organization == ORG_OF_RELATIVE) {
		memset(digits, '0', sizeof digits);
		if (!f->keys) {
			f->keys = &key;
		}
		if (!f->keys->field) {
			f->keys->field = &none;
		}
	}
}

/* libcob's entries leave DEPENDING ON out here too. */
static void take_length(const cob_file *f, const cob_field *rec)
{
	int n = f->variable_record ? get_int(f->variable_record) : (int)rec->size;

	written = n > 0 ? (uint32_t)n : UINT32_MAX;
}

static int went_well(void)
{
	return last && last->status[0] == '0';
}

static void tell_number(cob_file *f)
{
	if (f->organization == ORG_OF_RELATIVE && went_well() && f->keys && f->keys->field) {
		set_int(f->keys->field, (int)get(last->rel + 4, 4));
	}
}

/* READ INTO moves as many characters as the record has; the size that a WRITE left
 * would remain. */
static void tell_length(cob_file *f)
{
	if (f->record && last && last->record_mode && went_well()) {
		f->record->size = get(last->cur_len, 4);
	}
	if (f->variable_record && went_well()) {
		set_int(f->variable_record, (int)get(last->cur_len, 4));
	}
}

#define HANDLER ((void *)tupelo_file_handler)

EXPORT void cob_extfh_open(void *h, cob_file *f, const int mode, const int sharing, cob_field *status)
{
	(void)h;
	enter(f);
	libcob.open(HANDLER, f, mode, sharing, status);
}

EXPORT void cob_open(cob_file *f, const int mode, const int sharing, cob_field *status)
{
	cob_extfh_open(NULL, f, mode, sharing, status);
}

EXPORT void cob_extfh_close(void *h, cob_file *f, cob_field *status, const int opt, const int remfil)
{
	(void)h;
	enter(f);
	libcob.close(HANDLER, f, status, opt, remfil);
}

EXPORT void cob_close(cob_file *f, cob_field *status, const int opt, const int remfil)
{
	if (f) {
		cob_extfh_close(NULL, f, status, opt, remfil);
	}
}

EXPORT void cob_extfh_read(void *h, cob_file *f, cob_field *key, cob_field *status, const int opts)
{
	(void)h;
	enter(f);
	libcob.read(HANDLER, f, key, status, opts);
	tell_length(f);
}

EXPORT void cob_read(cob_file *f, cob_field *key, cob_field *status, const int opts)
{
	cob_extfh_read(NULL, f, key, status, opts);
}

EXPORT void cob_extfh_read_next(void *h, cob_file *f, cob_field *status, const int opts)
{
	(void)h;
	enter(f);
	libcob.read_next(HANDLER, f, status, opts);
	tell_number(f);
	tell_length(f);
}

EXPORT void cob_read_next(cob_file *f, cob_field *status, const int opts)
{
	cob_extfh_read_next(NULL, f, status, opts);
}

EXPORT void cob_extfh_write(void *h, cob_file *f, cob_field *rec, const int opt, cob_field *status,
	const unsigned int eop)
{
	(void)h;
	enter(f);
	take_length(f, rec);
	libcob.write(HANDLER, f, rec, opt, status, eop);
	tell_number(f);
}

EXPORT void cob_write(cob_file *f, cob_field *rec, const int opt, cob_field *status,
	const unsigned int eop)
{
	cob_extfh_write(NULL, f, rec, opt, status, eop);
}

EXPORT void cob_extfh_rewrite(void *h, cob_file *f, cob_field *rec, const int opt, cob_field *status)
{
	(void)h;
	enter(f);
	take_length(f, rec);
	libcob.rewrite(HANDLER, f, rec, opt, status);
}

EXPORT void cob_rewrite(cob_file *f, cob_field *rec, const int opt, cob_field *status)
{
	cob_extfh_rewrite(NULL, f, rec, opt, status);
}

EXPORT void cob_extfh_delete(void *h, cob_file *f, cob_field *status)
{
	(void)h;
	enter(f);
	libcob.delete(HANDLER, f, status);
}

EXPORT void cob_delete(cob_file *f, cob_field *status)
{
	cob_extfh_delete(NULL, f, status);
}

EXPORT void cob_extfh_start(void *h, cob_file *f, const int cond, cob_field *key, cob_field *size,
	cob_field *status)
{
	(void)h;
	enter(f);
	libcob.start(HANDLER, f, cond, key, size, status);
}

EXPORT void cob_start(cob_file *f, const int cond, cob_field *key, cob_field *size, cob_field *status)
{
	cob_extfh_start(NULL, f, cond, key, size, status);
}

/* STOP RUN, and the end of every run-time error. */
EXPORT __attribute__((noreturn)) void cob_stop_run(const int status)
{
	Dl_info info;
	const void *from = __builtin_return_address(0);

	fflush(stdout);
	on.stop(status, dladdr(from, &info) && info.dli_fbase == libcob_base ? FAILED : STOPPED);
	_exit(70);
}

/* From 3.2 on these end a run-time error. */
EXPORT __attribute__((noreturn)) void cob_hard_failure(void)
{
	fflush(stdout);
	on.stop(1, FAILED);
	_exit(70);
}

EXPORT __attribute__((noreturn)) void cob_hard_failure_internal(const char *why)
{
	if (why) {
		fprintf(stderr, "error: %s\n", why);
	}
	cob_hard_failure();
}

/* The program ends itself abnormally, by Language Environment or as before it. */
static __attribute__((noreturn)) void abend(uint32_t code)
{
	fflush(stdout);
	on.stop((int)(code % 4096), ABENDED);
	_exit(70);
}

EXPORT __attribute__((noreturn)) int ILBOABN0(const unsigned char *code)
{
	abend(code ? get(code, 2) : 0);
}

/* A data or decimal exception: an abnormal end, as of a run-time error. */
static void fault(const char *text)
{
	const cob_module *m = glob->current_module;

	fflush(stdout);
	if (m && m->stmt && m->sources) {
		fprintf(stderr, "%s:%u: ", m->sources[m->stmt >> 20], m->stmt & 0xFFFFF);
	}
	fprintf(stderr, "error: %s\n", text);
	on.stop(1, FAILED);
	_exit(70);
}

/* The module that passes items on which may have no address. */
static const cob_module *passing_module;

/* The statement whose conditions may not get to items that have no address. */
static const cob_module *condition_module;
static unsigned int condition_stmt;

static int address_may_be_null(void)
{
	const cob_module *m = glob->current_module;

	return m && (m == passing_module || (m == condition_module && m->stmt == condition_stmt));
}

/* The translator calls it before a CALL that passes items of the LINKAGE SECTION. */
EXPORT int DFHEI2(void)
{
	passing_module = glob->current_module;
	return 0;
}

/* The translator calls it on the line of a statement that has such conditions. */
EXPORT int DFHEI4(void)
{
	condition_module = glob->current_module;
	condition_stmt = condition_module ? condition_module->stmt : 0;
	return 0;
}

static int has_ebcdic_sign(void)
{
	return glob->current_module && glob->current_module->ebcdic_sign == 1;
}

#include "decimal.c"
#include "functions.c"

/* Services of Language Environment: libcob finds each by its name. */
static int service(const char *name)
{
	const cob_module *m = glob->current_module;
	int code;

	if (!m) {
		return 0;
	}
	fflush(stdout);
	code = on.service(name, (cob_field **)m->pointers[1], glob->call_params,
		m->pointers[2] ? m->pointers[2] : "", m->stmt & 0xFFFFF);
	if (code >= 0) {
		abend((uint32_t)code);
	}
	return 0;
}

#define SERVICE(name) EXPORT int name(void) { return service(#name); }
SERVICE(CEE3AB2)
SERVICE(CEE3ABD)
SERVICE(CEE3DMP)
SERVICE(CEECBLDY)
SERVICE(CEEDATE)
SERVICE(CEEDATM)
SERVICE(CEEDAYS)
SERVICE(CEEDCOD)
SERVICE(CEEDYWK)
SERVICE(CEEGMT)
SERVICE(CEEGMTO)
SERVICE(CEEISEC)
SERVICE(CEELOCT)
SERVICE(CEEMGET)
SERVICE(CEEMOUT)
SERVICE(CEEMSG)
SERVICE(CEENCOD)
SERVICE(CEEQCEN)
SERVICE(CEESCEN)
SERVICE(CEESECI)
SERVICE(CEESECS)
SERVICE(CEEUTC)

/* JSON and XML statements. */
EXPORT int DFHEI3(void)
{
	const cob_module *m = glob->current_module;
	const char *why = NULL;

	if (m) {
		why = on.statement((cob_field **)m->pointers[1], glob->call_params, has_ebcdic_sign());
	}
	if (why) {
		fault(why);
	}
	return 0;
}

/* EXEC SQL. */
static int sql_call(int what)
{
	const cob_module *m = glob->current_module;

	return m ? on.sql(what, (cob_field **)m->pointers[1], glob->call_params) : 0;
}

EXPORT int DSNHLI(void)
{
	return sql_call(0);
}

EXPORT int DSNTIAR(void)
{
	return sql_call(1);
}

EXPORT int DSNTIAC(void)
{
	return sql_call(2);
}

EXPORT long long tb_get_int(cob_field *f)
{
	return decimal.get_llint(f);
}

EXPORT void tb_set_int(cob_field *f, int value)
{
	set_int(f, value);
}

/* What the handler writes to SYSOUT, in its place among what DISPLAY writes. */
EXPORT void tb_print(const char *text, size_t bytes)
{
	fwrite(text, 1, bytes, stdout);
}

EXPORT void tb_flush(void)
{
	fflush(stdout);
}

/* Binds to the libcob that was loaded and starts it; 0 if an entry is missing. */
EXPORT int tb_start(void *handle, const tb_handlers *handlers)
{
	static const struct {
		void *place;
		const char *name;
	} all[] = {
		{ &set_int, "cob_set_int" },
		{ &get_int, "cob_get_int" },
		{ &libcob.open, "cob_extfh_open" },
		{ &libcob.close, "cob_extfh_close" },
		{ &libcob.read, "cob_extfh_read" },
		{ &libcob.read_next, "cob_extfh_read_next" },
		{ &libcob.write, "cob_extfh_write" },
		{ &libcob.rewrite, "cob_extfh_rewrite" },
		{ &libcob.delete, "cob_extfh_delete" },
		{ &libcob.start, "cob_extfh_start" },
	};
	void (*init)(int, char **) = (void (*)(int, char **))dlsym(handle, "cob_init");
	cob_global *(*global)(void) = (cob_global *(*)(void))dlsym(handle, "cob_get_global_ptr");
	Dl_info info;
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++) {
		void *entry = dlsym(handle, all[i].name);

		if (!entry) {
			return 0;
		}
		memcpy(all[i].place, &entry, sizeof entry);
	}
	if (!init || !global || !dladdr((void *)init, &info) || !bind_decimal(handle) || !bind_functions(handle)) {
		return 0;
	}
	libcob_base = info.dli_fbase;
	on = *handlers;
	init(0, NULL);
	glob = global();
	return glob != NULL;
}

/* Runs a program by its name. Gives 0 and why if there is none. */
EXPORT int tb_run(void *handle, const char *program, void *parm, int *code, const char **why)
{
	void *(*resolve)(const char *) = (void *(*)(const char *))dlsym(handle, "cob_resolve");
	const char *(*error)(void) = (const char *(*)(void))dlsym(handle, "cob_resolve_error");
	int (*entry)(void *);

	*why = "libcob lacks an entry";
	if (!resolve || !error) {
		return 0;
	}
	entry = (int (*)(void *))resolve(program);
	if (!entry) {
		*why = error();
		return 0;
	}
	glob->call_params = 1;
	*code = entry(parm);
	return 1;
}
