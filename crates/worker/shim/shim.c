/* The C side of a COBOL worker: everything that sets or takes a jump.
 *
 * The worker loads this object before libcob, so that the entries defined here
 * are found first: by programs (CALL, CANCEL, STOP RUN, EXEC CICS) and by
 * libcob itself (run-time errors). A jump never leaves a frame of the worker's
 * own code: worker code calls tw_run, which sets the jump's target, and gets a
 * code back; handlers called from here return what shall happen.
 *
 * Only the first members of libcob's structures are declared. Their order is
 * kept by libcob between 3.1 and 3.2 ("add new members at the end").
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct {
	size_t size;
	unsigned char *data;
	const void *attr;
} cob_field;

typedef struct cob_module {
	struct cob_module *next;
	cob_field **params;
	const char *name;
	const char *formatted_date;
	const char *source;
	void *entry;
	int (*cancel)(int, ...);
	const unsigned char *collating_sequence;
	cob_field *crt_status;
	cob_field *cursor_pos;
	unsigned int *ref_count;
	const char **path;
	unsigned int active;
	unsigned int date;
	unsigned int time;
	unsigned int type;
	unsigned int param_cnt;
	unsigned int returning;
	int num_params;
	unsigned char settings[16];
	unsigned int stmt;
	const char **sources;
} cob_module;

typedef struct {
	void *error_file;
	cob_module *current_module;
	void *names[13];
	int exception_code;
	int call_params;
	int initial_external;
	unsigned int last_exception_line;
	unsigned int got_exception;
	unsigned int screen_initialized;
	unsigned int physical_cancel;
} cob_global;

/* A contained program, as CALL identifier passes them. */
typedef struct {
	const char *name;
	void *entry;
	void *cancel;
} cob_call_struct;

/* What a handler wants: go on, or jump to the frame of that depth. */
typedef struct {
	int32_t code;   /* TW_* below */
	int32_t depth;
} tw_flow;

enum { TW_NEXT = 0, TW_LEAVE = 1, TW_REENTER = 2 };

/* The worker's side. */
typedef struct {
	tw_flow (*exec)(cob_field **params, int count);
	tw_flow (*start)(cob_field **params, int count);
	void *(*resolve)(const char *name, size_t len, int must, tw_flow *flow);
	tw_flow (*stop)(int is_error, const char *message);
	tw_flow (*refuse)(const char *routine);
	tw_flow (*fault)(const char *message);
	int (*service_named)(const char *name, size_t len);
	tw_flow (*service)(int number, cob_field **params, int count);
} tw_handlers;

/* The C side's entries for the worker. */
typedef struct {
	int (*run)(void *entry, void *eib, void *commarea);
	void (*cancel_from)(size_t from);
	size_t (*started)(void);
	int32_t (*depth)(void);
	uint64_t (*serial)(void);
	cob_module *(*module)(void);
	unsigned int (*line)(const char **source);
	int (*print_to)(void (*printed)(int stream, const char *text, size_t bytes));
	void (*flush)(void);
	void (*end_task)(void);
	int (*has_ebcdic_sign)(void);
} tw_entries;

/* A place to jump to: the base of a LINK level or of a CALL. */
typedef struct frame {
	jmp_buf env;
	struct frame *up;
	cob_module *base;
	cob_field **params;     /* the base's own, while a level runs above it */
	uint64_t serial;
	int32_t depth;
	int32_t guard;
} frame;

static tw_handlers on;
static cob_global *glob;
static frame *top;
static uint64_t serials;
static void *pending_target;
static const char *libcob_base;
static const char *(*last_error)(void);
typedef void (*version_check)(const char *, const char *, int);
static version_check check_version;
static char message[512];
static int has_message;
static int may_be_null;
/* The statement whose conditions may not get to items that have no address. */
static const cob_module *condition_module;
static unsigned int condition_stmt;
static int pending_service;

/* The lowest address that a further program may be entered at. The stack is
 * as large as the process was started with, at most; what runs when it is used
 * up needs the rest. */
static uintptr_t stack_floor;
enum { STACK_REST = 384 << 10, STACK_MOST = 64 << 20 };

static void measure_stack(void)
{
	struct rlimit limit;
	uintptr_t here = (uintptr_t)&limit;
	rlim_t most = STACK_MOST;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < most) {
		most = limit.rlim_cur;
	}
	stack_floor = most > STACK_REST && here > most ? here - most + STACK_REST : 0;
}


/* Modules whose storage was set up and not yet given back. */
typedef struct {
	cob_module *module;
	void *entry;
	int (*cancel)(int, ...);
} started;
static started *list;
static size_t list_len, list_cap;

static int32_t tw_depth(void) { return top ? top->depth : -1; }
static uint64_t tw_serial(void) { return top ? top->serial : 0; }

static cob_module *tw_module(void) { return glob->current_module; }
static size_t tw_started(void) { return list_len; }

static void unwind_to(const frame *f)
{
	cob_module *m;

	for (m = glob->current_module; m && m != f->base; m = m->next) {
		if (m->active) {
			m->active--;
		}
	}
	glob->current_module = f->base;
	glob->exception_code = 0;
}

/* What a level is entered with, for a program that compares it with its
 * LINKAGE SECTION (3.2 does with -debug): something of any length, since a
 * COMMAREA may be shorter than its description, or not there at all. */
static unsigned char anything[1];
static cob_field any_length = { SIZE_MAX / 2, anything, NULL };
static cob_field *level_params[] = { &any_length, &any_length };

static void give_params(frame *f)
{
	if (f->base) {
		f->params = f->base->params;
		f->base->params = level_params;
	}
}

static void take_params(frame *f)
{
	if (f->base && f->params) {
		f->base->params = f->params;
		f->params = NULL;
	}
}

__attribute__((noreturn)) static void jump(tw_flow flow)
{
	frame *f = top;

	while (f && !f->guard && f->depth > flow.depth) {
		take_params(f);
		f = f->up;
	}
	if (!f) {
		_exit(70);
	}
	top = f;
	longjmp(f->env, flow.code);
}

static void follow(tw_flow flow)
{
	if (flow.code != TW_NEXT) {
		jump(flow);
	}
}

/* Ends the task when there is too little stack for a further program. */
static void check_stack(void)
{
	char here;

	if ((uintptr_t)&here < stack_floor) {
		follow(on.stop(1, "programs call one another too deeply: the stack is used up"));
	}
}

static void push(frame *f, int guard)
{
	f->up = top;
	f->base = glob->current_module;
	f->depth = top ? top->depth + 1 : 0;
	f->params = NULL;
	f->serial = ++serials;
	f->guard = guard;
}

/* Runs a program with the EIB and the COMMAREA; says how it ended: TW_NEXT
 * when it came back by itself. */
static int tw_run(void *entry, void *eib, void *commarea)
{
	frame f;
	int code;

	push(&f, 0);
	code = _setjmp(f.env);
	if (code == 0) {
		top = &f;
		glob->call_params = 2;
		give_params(&f);
		((int (*)(void *, void *))entry)(eib, commarea);
	} else {
		unwind_to(&f);
	}
	take_params(&f);
	top = f.up;
	return code;
}

static inline void forget_checked(void);

/* Gives back the storage of every module set up since the list had `from`
 * entries. Errors inside are swallowed: the storage is gone either way. */
static void tw_cancel_from(size_t from)
{
	forget_checked();
	while (list_len > from) {
		frame f;
		started s = list[--list_len];

		push(&f, 1);
		if (_setjmp(f.env) == 0) {
			top = &f;
			s.cancel(-1);
		} else {
			unwind_to(&f);
		}
		top = f.up;
	}
}

/* CALL: the target was put aside by the resolver the statement before. Integer
 * and floating-point arguments travel in registers of their own kind, the rest
 * on the stack; all of them are passed on as they came. */
typedef double fp;
typedef long word;
static word call_frame(
	word a0, word a1, word a2, word a3, word a4, word a5,
	fp x0, fp x1, fp x2, fp x3, fp x4, fp x5, fp x6, fp x7,
	word a6, word a7, word a8, word a9, word a10, word a11, word a12, word a13,
	word a14, word a15, word a16, word a17, word a18, word a19, word a20, word a21,
	word a22, word a23)
{
	typedef word (*target)(
		word, word, word, word, word, word,
		fp, fp, fp, fp, fp, fp, fp, fp,
		word, word, word, word, word, word, word, word,
		word, word, word, word, word, word, word, word,
		word, word);
	frame f;
	target go = (target)pending_target;
	const int params = glob->call_params;
	word result;

	push(&f, 0);
	if (_setjmp(f.env) != 0) {
		unwind_to(&f);
		glob->call_params = params;
	}
	top = &f;
	result = go(a0, a1, a2, a3, a4, a5, x0, x1, x2, x3, x4, x5, x6, x7,
		a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,
		a22, a23);
	top = f.up;
	return result;
}
enum { CALL_FRAME_WORDS = 24 };

EXPORT int DFHEI1(void)
{
	cob_module *m = glob->current_module;

	check_stack();
	if (m) {
		follow(on.exec(m->params, glob->call_params));
	}
	return 0;
}

EXPORT int DFHEI0(void)
{
	cob_module *m = glob->current_module;

	if (m) {
		follow(on.start(m->params, glob->call_params));
	}
	return 0;
}

/* The CALL after this one may pass items that have no address. */
EXPORT int DFHEI2(void)
{
	may_be_null = 1;
	return 0;
}

/* The conditions of the next statement may end before they use items that have no
 * address. It is on the line of this CALL. */
EXPORT int DFHEI4(void)
{
	condition_module = glob->current_module;
	condition_stmt = condition_module ? condition_module->stmt : 0;
	return 0;
}

/* CALL of a built-in service (CEE..., EZA..., BAQ..., DSN..., DFHEI3), put aside by the
 * resolver. */
static int call_service(void)
{
	cob_module *m = glob->current_module;

	if (m) {
		const tw_flow flow = on.service(pending_service, m->params, glob->call_params);

		follow(flow);
		return flow.depth;
	}
	return 0;
}

static void *find(const char *name, size_t len, int must)
{
	tw_flow flow = { TW_NEXT, 0 };
	void *entry;

	check_stack();
	while (len && (name[len - 1] == ' ' || name[len - 1] == 0)) {
		len--;
	}
	while (len && *name == ' ') {
		name++;
		len--;
	}
	may_be_null = 0;
	if (len == 6 && !memcmp(name, "DFHEI", 5)) {
		if (name[5] == '1') {
			return (void *)DFHEI1;
		}
		if (name[5] == '0') {
			return (void *)DFHEI0;
		}
		if (name[5] == '2') {
			return (void *)DFHEI2;
		}
		if (name[5] == '4') {
			return (void *)DFHEI4;
		}
	}
	if (len > 3 && ((len == 6 && !memcmp(name, "DFHEI3", 6)) || !memcmp(name, "CEE", 3) || !memcmp(name, "EZA", 3)
	    || !memcmp(name, "BAQ", 3) || !memcmp(name, "DSN", 3))) {
		const int number = on.service_named(name, len);

		if (number >= 0) {
			pending_service = number;
			return (void *)call_service;
		}
	}
	entry = on.resolve(name, len, must, &flow);
	follow(flow);
	if (entry && glob->call_params <= CALL_FRAME_WORDS) {
		pending_target = entry;
		return (void *)call_frame;
	}
	return entry;
}

EXPORT void *cob_resolve_cobol(const char *name, int fold, int must)
{
	(void)fold;
	return find(name, strlen(name), must);
}

EXPORT void *cob_resolve_func(const char *name)
{
	return find(name, strlen(name), 1);
}

EXPORT void *cob_call_field(const cob_field *f, const cob_call_struct *contained,
	unsigned int must, int fold)
{
	const char *name = (const char *)f->data;
	size_t len = f->size;

	(void)fold;
	while (len && (name[len - 1] == ' ' || name[len - 1] == 0)) {
		len--;
	}
	for (; contained && contained->name; contained++) {
		if (strlen(contained->name) == len && !memcmp(contained->name, name, len)) {
			return contained->entry;
		}
	}
	return find(name, len, (int)must);
}

/* EXTERNAL items of all modules. They are the task's: libcob would keep them
 * for the next one. */
typedef struct external {
	struct external *next;
	void *at;
	size_t size;
} external;
static external *externals;
static void *(*libcob_external_addr)(const char *, int);

EXPORT void *cob_external_addr(const char *name, const int size)
{
	void *at = libcob_external_addr(name, size);
	external *e = externals;

	while (e && e->at != at) {
		e = e->next;
	}
	if (at && !e) {
		e = malloc(sizeof *e);
		if (!e) {
			_exit(71);
		}
		*e = (external) { externals, at, (size_t)size };
		externals = e;
	}
	return at;
}

/* UPSI switches that the task has set: the next one finds them off. */
enum { SWITCHES = 64 };
static void (*libcob_set_switch)(const int, const int);
static uint64_t switches_set;

EXPORT void cob_set_switch(const int n, const int flag)
{
	if (n >= 0 && n < SWITCHES) {
		switches_set |= (uint64_t)1 << n;
	}
	libcob_set_switch(n, flag);
}

static void tw_end_task(void)
{
	const external *e;

	for (e = externals; e; e = e->next) {
		memset(e->at, 0, e->size);
	}
	for (; switches_set; switches_set &= switches_set - 1) {
		libcob_set_switch(__builtin_ctzll(switches_set), 0);
	}
}

static void forget(void *entry)
{
	size_t i;

	for (i = list_len; i-- > 0;) {
		if (list[i].entry == entry) {
			started s = list[i];
			memmove(&list[i], &list[i + 1], (list_len - i - 1) * sizeof *list);
			list_len--;
			s.cancel(-1);
			return;
		}
	}
}

static void cancel_named(const char *name, size_t len)
{
	tw_flow flow = { TW_NEXT, 0 };
	void *entry = on.resolve(name, len, 2, &flow);

	follow(flow);
	if (entry) {
		forget(entry);
	}
}

EXPORT void cob_cancel(const char *name)
{
	cancel_named(name, strlen(name));
}

EXPORT void cob_cancel_field(const cob_field *f, const cob_call_struct *contained)
{
	(void)contained;
	if (f && f->data) {
		size_t len = f->size;
		while (len && f->data[len - 1] == ' ') {
			len--;
		}
		cancel_named((const char *)f->data, len);
	}
}

/* A module has set up its storage. */
EXPORT void cob_set_cancel(cob_module *m)
{
	if (list_len == list_cap) {
		size_t cap = list_cap ? 2 * list_cap : 64;
		started *grown = realloc(list, cap * sizeof *list);
		if (!grown) {
			_exit(71);
		}
		list = grown;
		list_cap = cap;
	}
	list[list_len].module = m;
	list[list_len].entry = m->entry;
	list[list_len].cancel = m->cancel;
	list_len++;
}

/* Routines of the library that cobc calls without asking the resolver, and
 * that reach files, processes, the terminal or libcob itself. */
#define REFUSED(symbol) \
	EXPORT int symbol(void) \
	{ \
		follow(on.refuse(#symbol)); \
		return 0; \
	}
REFUSED(cob_sys_change_dir)
REFUSED(cob_sys_chdir)
REFUSED(cob_sys_check_file_exist)
REFUSED(cob_sys_clear_screen)
REFUSED(cob_sys_close_file)
REFUSED(cob_sys_copy_file)
REFUSED(cob_sys_copyfile)
REFUSED(cob_sys_create_dir)
REFUSED(cob_sys_create_file)
REFUSED(cob_sys_delete_dir)
REFUSED(cob_sys_delete_file)
REFUSED(cob_sys_error_proc)
REFUSED(cob_sys_exit_proc)
REFUSED(cob_sys_extfh)
REFUSED(cob_sys_file_delete)
REFUSED(cob_sys_file_info)
REFUSED(cob_sys_flush_file)
REFUSED(cob_sys_fork)
REFUSED(cob_sys_get_char)
REFUSED(cob_sys_get_csr_pos)
REFUSED(cob_sys_get_current_dir)
REFUSED(cob_sys_get_scr_size)
REFUSED(cob_sys_getopt_long_long)
REFUSED(cob_sys_getpid)
REFUSED(cob_sys_hosted)
REFUSED(cob_sys_mkdir)
REFUSED(cob_sys_oc_nanosleep)
REFUSED(cob_sys_open_file)
REFUSED(cob_sys_read_file)
REFUSED(cob_sys_rename_file)
REFUSED(cob_sys_runtime_error_proc)
REFUSED(cob_sys_set_csr_pos)
REFUSED(cob_sys_sleep)
REFUSED(cob_sys_sound_bell)
REFUSED(cob_sys_system)
REFUSED(cob_sys_waitpid)
REFUSED(cob_sys_write_file)
REFUSED(cob_sys_x91)

/* Files of the file system: programs of a region have the region's. */
REFUSED(cob_close)
REFUSED(cob_commit)
REFUSED(cob_delete)
REFUSED(cob_delete_file)
REFUSED(cob_open)
REFUSED(cob_read)
REFUSED(cob_read_next)
REFUSED(cob_rewrite)
REFUSED(cob_rollback)
REFUSED(cob_start)
REFUSED(cob_unlock_file)
REFUSED(cob_write)

static int from_libcob(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) && info.dli_fbase == libcob_base;
}

__attribute__((noreturn)) static void stopped(int is_error)
{
	tw_flow flow;

	if (top && top->guard) {
		/* Storage is being given back: nobody is in control. */
		has_message = 0;
		longjmp(top->env, TW_LEAVE);
	}
	flow = on.stop(is_error || has_message, has_message ? message : "");
	has_message = 0;
	if (flow.code == TW_NEXT || !top) {
		_exit(72);
	}
	jump(flow);
}

/* STOP RUN, and the end of every run-time error. */
EXPORT __attribute__((noreturn)) void cob_stop_run(const int status)
{
	(void)status;
	stopped(from_libcob(__builtin_return_address(0)));
}

EXPORT __attribute__((noreturn)) void cob_hard_failure(void)
{
	stopped(1);
}

EXPORT __attribute__((noreturn)) void cob_hard_failure_internal(const char *why)
{
	if (!has_message && why) {
		snprintf(message, sizeof message, "%s", why);
		has_message = 1;
	}
	stopped(1);
}

/* A program asks this whenever its storage has been given back since. The
 * answer does not change, and libcob scans two version texts for it. */
EXPORT void cob_check_version(const char *program, const char *version, const int patch)
{
	static const char *checked[256];
	const char **last = &checked[(uintptr_t)version / 16 % 256];

	if (*last != version) {
		check_version(program, version, patch);
		*last = version;
	}
}

/* Called by a libcob that was linked so that it finds its own cob_stop_run
 * and cob_runtime_error first. Such a libcob keeps the message itself, if it
 * can tell it at all. */
static int exit_procedure(void)
{
	const char *text = !has_message && last_error ? last_error() : NULL;

	if (text) {
		snprintf(message, sizeof message, "%s", text);
		has_message = 1;
	}
	stopped(1);
}

EXPORT void cob_runtime_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	has_message = 1;
}

/* Decimal data and divisions: decimal.c. */
static void fault(const char *text)
{
	if (top && !top->guard) {
		follow(on.fault(text));
	}
}

static int address_may_be_null(void)
{
	const cob_module *m = glob->current_module;

	return may_be_null || (m && m == condition_module && m->stmt == condition_stmt);
}

/* First of the module's settings: 1 when its signs are EBCDIC's. */
static int has_ebcdic_sign(void)
{
	return glob->current_module && glob->current_module->settings[0] == 1;
}

#include "decimal.c"
#include "functions.c"

/* The statement that runs: its line, and the name of its source file. */
static unsigned int tw_line(const char **source)
{
	cob_module *m = glob->current_module;

	*source = NULL;
	if (!m || !m->stmt) {
		return 0;
	}
	if (m->sources) {
		*source = m->sources[m->stmt >> 20];
	}
	return m->stmt & 0xFFFFF;
}

/* Streams that hand on what is printed instead of writing it. */
static void (*on_printed)(int stream, const char *text, size_t bytes);

static ssize_t hand_on(void *stream, const char *text, size_t bytes)
{
	on_printed((int)(intptr_t)stream, text, bytes);
	return (ssize_t)bytes;
}

static int tw_print_to(void (*printed)(int stream, const char *text, size_t bytes))
{
	cookie_io_functions_t calls = { .write = hand_on };
	FILE *out = fopencookie((void *)0, "w", calls);
	FILE *err = fopencookie((void *)1, "w", calls);

	if (!out || !err) {
		return 0;
	}
	on_printed = printed;
	setvbuf(out, NULL, _IOLBF, BUFSIZ);
	setvbuf(err, NULL, _IOLBF, BUFSIZ);
	stdout = out;
	stderr = err;
	return 1;
}

static void tw_flush(void)
{
	if (__fpending(stdout)) {
		fflush(stdout);
	}
	if (__fpending(stderr)) {
		fflush(stderr);
	}
}

/* Binds the worker's side to the libcob that was loaded; false if one of the
 * things needed is not there. */
EXPORT int tw_start(void *libcob_handle, const tw_handlers *handlers, tw_entries *entries)
{
	void (*init)(int, char **) = (void (*)(int, char **))dlsym(libcob_handle, "cob_init");
	cob_global *(*global)(void) = (cob_global *(*)(void))dlsym(libcob_handle, "cob_get_global_ptr");
	int (*exit_proc)(const void *, const void *) =
		(int (*)(const void *, const void *))dlsym(libcob_handle, "cob_sys_exit_proc");
	int (*procedure)(void) = exit_procedure;
	unsigned char install = 0;
	Dl_info info;

	if (!init || !global || !exit_proc || !dladdr((void *)init, &info)
		|| !bind_decimal(libcob_handle) || !bind_functions(libcob_handle)) {
		return 0;
	}
	libcob_base = info.dli_fbase;
	last_error = (const char *(*)(void))dlsym(libcob_handle, "cob_last_runtime_error");
	check_version = (version_check)dlsym(libcob_handle, "cob_check_version");
	libcob_external_addr = (void *(*)(const char *, int))dlsym(libcob_handle, "cob_external_addr");
	libcob_set_switch = (void (*)(const int, const int))dlsym(libcob_handle, "cob_set_switch");
	if (!check_version || !libcob_external_addr || !libcob_set_switch) {
		return 0;
	}
	on = *handlers;
	init(0, NULL);
	glob = global();
	if (!glob) {
		return 0;
	}
	exit_proc(&install, &procedure);
	/* Every CALL asks the resolver: a remembered address could belong to
	 * another level's storage. */
	glob->physical_cancel = 1;
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	measure_stack();
	*entries = (tw_entries) {
		.run = tw_run,
		.cancel_from = tw_cancel_from,
		.started = tw_started,
		.depth = tw_depth,
		.serial = tw_serial,
		.module = tw_module,
		.line = tw_line,
		.print_to = tw_print_to,
		.flush = tw_flush,
		.end_task = tw_end_task,
		.has_ebcdic_sign = has_ebcdic_sign,
	};
	return 1;
}
