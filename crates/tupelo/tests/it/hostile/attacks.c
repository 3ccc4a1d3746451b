/* A hostile module: each entry is a program that tries one thing, as no COBOL
 * program could. It answers in its COMMAREA what it was told; one that the
 * system ends answers nothing. The COMMAREA it is given may name a file or a
 * process first, as a text with a zero byte behind it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM(name) int name(void *eib, char *area)
#define TOLD(...) (snprintf(area, 200, __VA_ARGS__), 0)
#define REFUSED(rc) ((rc) == -1 && errno == EPERM)
#define RESULT(rc) TOLD("%s", (rc) < 0 ? strerrorname_np(errno) : "done")

enum { FDS = 1024 };
extern char **environ;

PROGRAM(GOOD) { return TOLD("good"); }

/* Works for the time that the COMMAREA gives in milliseconds, and gives the
 * process back. */
PROGRAM(WORKER)
{
	long ms = atol(area);
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
	return TOLD("%d", getpid());
}

/* Other programs and processes. Signal 0 asks whether a signal would be sent:
 * a test that fails must not end what runs beside it. */
PROGRAM(SHELL) { return RESULT(system(area)); }
PROGRAM(EXEC) { return RESULT(execl("/bin/true", "true", (char *)0)); }
PROGRAM(FORK) { return RESULT(fork()); }
PROGRAM(VFORKED) { return RESULT(syscall(SYS_vfork)); }
PROGRAM(CLONE3) { return RESULT(syscall(SYS_clone3, NULL, 0)); }
PROGRAM(KILLPP) { return RESULT(kill(getppid(), 0)); }
PROGRAM(KILLALL) { return RESULT(kill(-1, 0)); }
PROGRAM(KILLGRP) { return RESULT(kill(0, 0)); }
PROGRAM(KILLSIB) { return RESULT(kill(atoi(area), 0)); }
PROGRAM(QUEUESIG) { return RESULT(sigqueue(getppid(), 0, (union sigval){ 0 })); }
PROGRAM(PIDFD) { return RESULT(syscall(SYS_pidfd_open, getppid(), 0)); }
PROGRAM(TRACE) { return RESULT(ptrace(PTRACE_ATTACH, atoi(area), 0, 0)); }
PROGRAM(READMEM)
{
	char here[8];
	struct iovec mine = { here, 8 }, theirs = { (void *)0x1000, 8 };

	return RESULT(process_vm_readv(atoi(area), &mine, 1, &theirs, 1, 0));
}
PROGRAM(URING) { return RESULT(syscall(SYS_io_uring_setup, 4, NULL)); }
PROGRAM(PERF) { return RESULT(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0)); }
PROGRAM(KEYCTL) { return RESULT(syscall(SYS_keyctl, 0, -3, 0, 0, 0)); }
PROGRAM(ADDKEY) { return RESULT(syscall(SYS_add_key, "user", "x", "x", 1, -3)); }
PROGRAM(GETFD) { return RESULT(syscall(SYS_pidfd_getfd, 3, 3, 0)); }
PROGRAM(HANDLE) { return RESULT(syscall(SYS_open_by_handle_at, 3, NULL, 0)); }
PROGRAM(MOUNT) { return RESULT(syscall(SYS_mount, "none", "/mnt", "tmpfs", 0, NULL)); }
PROGRAM(UNSHARE) { return RESULT(syscall(SYS_unshare, 0x10000000)); }
PROGRAM(BPF) { return RESULT(syscall(SYS_bpf, 0, NULL, 0)); }

PROGRAM(WRITEMEM)
{
	char here[8];
	struct iovec mine = { here, 8 }, theirs = { (void *)0x1000, 8 };

	return RESULT(syscall(SYS_process_vm_writev, atoi(area), &mine, 1, &theirs, 1, 0));
}
PROGRAM(FAULTFD) { return RESULT(syscall(SYS_userfaultfd, 0)); }
/* A program that lies in no file system. */
PROGRAM(MEMEXEC)
{
	int fd = memfd_create("x", 0);
	char *none[] = { NULL };

	write(fd, "#!/bin/true\n", 12);
	return RESULT(fexecve(fd, none, none));
}
/* The same calls by other ways in: the ABI of 32-bit pointers, and that of
 * 32-bit processes. */
PROGRAM(X32FORK) { return RESULT(syscall(0x40000000 | 57)); }
#ifdef __x86_64__
PROGRAM(INT80)
{
	int rc;

	__asm__ volatile("int $0x80" : "=a"(rc) : "a"(2) : "memory");
	errno = -rc;
	return RESULT(rc < 0 ? -1 : rc);
}
#endif
PROGRAM(LEAVE) { _exit(0); }
/* No signal that can be held back ends it. */
PROGRAM(SPIN)
{
	sigset_t all;
	int s;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (s = 1; s < 65; s++) {
		signal(s, SIG_IGN);
	}
	for (;;) {
	}
}

/* Clocks, processors, memory that stays, memory and queues with names. */
PROGRAM(SETTINGS)
{
	const struct { const char *name; int refused; } all[] = {
		{ "alarm", REFUSED(syscall(SYS_setitimer, 0, &(char[32]){ 0 }, NULL)) },
		{ "timer_create", REFUSED(syscall(SYS_timer_create, 0, NULL, NULL)) },
		{ "timerfd", REFUSED(syscall(SYS_timerfd_create, 0, 0)) },
		{ "affinity", REFUSED(syscall(SYS_sched_setaffinity, 0, 8, &(long){ 1 })) },
		{ "scheduler", REFUSED(syscall(SYS_sched_setscheduler, 0, 1, &(int){ 1 })) },
		{ "mlock", REFUSED(syscall(SYS_mlockall, 3)) },
		{ "shmget", REFUSED(syscall(SYS_shmget, 0, 4096, 01600)) },
		{ "semget", REFUSED(syscall(SYS_semget, 0, 1, 01600)) },
		{ "msgget", REFUSED(syscall(SYS_msgget, 0, 01600)) },
		{ "inotify", REFUSED(syscall(SYS_inotify_init1, 0)) },
		{ "signalfd", REFUSED(syscall(SYS_signalfd4, -1, NULL, 8, 0)) },
		{ "pipe", REFUSED(syscall(SYS_pipe2, &(int[2]){ 0 }, 0)) },
		{ "splice", REFUSED(syscall(SYS_splice, 0, 0, 1, 0, 1, 0)) },
		{ "fchdir", REFUSED(syscall(SYS_fchdir, 0)) },
		{ "ldt", REFUSED(syscall(SYS_modify_ldt, 0, NULL, 0)) },
		{ "openat2", REFUSED(syscall(SYS_openat2, -100, "/", NULL, 0)) },
		{ "seccomp", REFUSED(syscall(SYS_seccomp, 1, 0, NULL)) },
		{ "landlock", REFUSED(syscall(SYS_landlock_restrict_self, 0, 0)) },
		{ "connect", REFUSED(syscall(SYS_connect, 1, &(char[16]){ 2 }, 16)) },
		{ "bind", REFUSED(syscall(SYS_bind, 1, &(char[16]){ 2 }, 16)) },
		{ "listen", REFUSED(syscall(SYS_listen, 1, 1)) },
		{ "setsid", REFUSED(syscall(SYS_setsid)) },
		{ "truncate", REFUSED(syscall(SYS_ftruncate, 1, 0)) },
		{ "copy", REFUSED(syscall(SYS_copy_file_range, 0, NULL, 1, NULL, 1, 0)) },
		{ "mq_open", REFUSED(syscall(SYS_mq_open, "/x", O_CREAT | O_RDWR, 0600, NULL)) },
		{ "shmat", REFUSED(syscall(SYS_shmat, 0, NULL, 0)) },
		{ "itimer", REFUSED(syscall(SYS_setitimer, 2, &(long[4]){ 0, 1, 0, 1 }, NULL)) },
		{ "prctl", REFUSED(syscall(SYS_prctl, PR_SET_SECCOMP, 0, 0, 0, 0)) },
		{ "name", REFUSED(syscall(SYS_prctl, PR_SET_NAME, "tupelo", 0, 0, 0)) },
		{ "keepcaps", REFUSED(syscall(SYS_prctl, PR_SET_KEEPCAPS, 1, 0, 0, 0)) },
		{ "setuid", REFUSED(syscall(SYS_setuid, 0)) },
		{ "setgroups", REFUSED(syscall(SYS_setgroups, 0, NULL)) },
		{ "capset", REFUSED(syscall(SYS_capset, NULL, NULL)) },
		{ "umask", REFUSED(syscall(SYS_umask, 0)) },
		{ "personality", REFUSED(syscall(SYS_personality, 0x0040000)) },
		{ "syslog", REFUSED(syscall(SYS_syslog, 10, NULL, 0)) },
		{ "acct", REFUSED(syscall(SYS_acct, NULL)) },
		{ "hostname", REFUSED(syscall(SYS_sethostname, "x", 1)) },
		{ "settime", REFUSED(syscall(SYS_clock_settime, 0, &(long[2]){ 0 })) },
		{ "ioprio", REFUSED(syscall(SYS_ioprio_set, 1, 0, 0)) },
		{ "schedattr", REFUSED(syscall(SYS_sched_setattr, 0, NULL, 0)) },
		{ "mbind", REFUSED(syscall(SYS_mbind, NULL, 0, 0, NULL, 0, 0)) },
		{ "fanotify", REFUSED(syscall(SYS_fanotify_init, 0, 0)) },
		{ "handle", REFUSED(syscall(SYS_name_to_handle_at, -100, "/", NULL, NULL, 0)) },
		{ "readlink", REFUSED(syscall(SYS_readlinkat, -100, "/proc/self/exe", NULL, 0)) },
		{ "access", REFUSED(syscall(SYS_faccessat, -100, "/etc/shadow", 0)) },
		{ "mkdir", REFUSED(syscall(SYS_mkdirat, -100, "/tmp/x", 0700)) },
		{ "mknod", REFUSED(syscall(SYS_mknodat, -100, "/tmp/x", 0600, 0)) },
		{ "link", REFUSED(syscall(SYS_linkat, -100, "/etc/passwd", -100, "/tmp/x", 0)) },
		{ "symlink", REFUSED(syscall(SYS_symlinkat, "/etc/passwd", -100, "/tmp/x")) },
		{ "rename", REFUSED(syscall(SYS_renameat2, -100, "/tmp/x", -100, "/tmp/y", 0)) },
		{ "chown", REFUSED(syscall(SYS_fchownat, -100, "/etc/passwd", 0, 0, 0)) },
		{ "utime", REFUSED(syscall(SYS_utimensat, -100, "/etc/passwd", NULL, 0)) },
		{ "setxattr", REFUSED(syscall(SYS_setxattr, "/etc/passwd", "user.x", "", 0, 0)) },
		{ "statfs", REFUSED(syscall(SYS_statfs, "/", NULL)) },
		{ "sync", REFUSED(syscall(SYS_sync)) },
		{ "vmsplice", REFUSED(syscall(SYS_vmsplice, 0, NULL, 0, 0)) },
		{ "sendmmsg", REFUSED(syscall(SYS_sendmmsg, 0, NULL, 0, 0)) },
		{ "accept", REFUSED(syscall(SYS_accept4, 0, NULL, NULL, 0)) },
		{ "socketpair", REFUSED(syscall(SYS_socketpair, 1, 1, 0, &(int[2]){ 0 })) },
	};
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++) {
		if (!all[i].refused) {
			return TOLD("%s is let through", all[i].name);
		}
	}
	return TOLD("refused");
}

/* Somebody else's settings, and its own. */
PROGRAM(LIMITS)
{
	struct rlimit none = { 0, 0 };

	return RESULT(prlimit(getppid(), RLIMIT_CORE, &none, NULL));
}
PROGRAM(RAISE)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	return RESULT(setrlimit(RLIMIT_DATA, &all));
}
PROGRAM(DUMP) { return RESULT(prctl(PR_SET_DUMPABLE, 1)); }
PROGRAM(ORPHAN) { return RESULT(prctl(PR_SET_PDEATHSIG, 0)); }
PROGRAM(GROUP) { return RESULT(setpgid(0, getppid())); }
PROGRAM(NICE) { return RESULT(syscall(SYS_setpriority, PRIO_PROCESS, getppid(), 19)); }
PROGRAM(ASYNC)
{
	/* A signal to somebody else when a descriptor becomes ready. */
	return RESULT(fcntl(1, F_SETOWN, getppid()));
}

/* The region shares the eventfds' flags: one that blocks could stop it. */
PROGRAM(BLOCKING)
{
	int fd, zero = 0, done = 0;

	for (fd = 0; fd < FDS; fd++) {
		done += fcntl(fd, F_SETFL, 0) == 0;
		done += ioctl(fd, FIONBIO, &zero) == 0;
	}
	return TOLD("changed %d", done);
}

/* Files. */
PROGRAM(READFILE)
{
	char text[100];
	int fd = open(area, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (n < 0) {
		return RESULT(-1);
	}
	return TOLD("read %zd", n);
}
PROGRAM(WRITFILE) { return RESULT(open(area, O_WRONLY | O_CREAT, 0600)); }
PROGRAM(APPEND) { return RESULT(open(area, O_RDWR | O_APPEND)); }
PROGRAM(LISTDIR)
{
	char text[1000];
	int fd = open(area, O_RDONLY | O_DIRECTORY);

	return RESULT(fd < 0 ? -1 : syscall(SYS_getdents64, fd, text, sizeof text));
}
PROGRAM(REMOVE) { return RESULT(unlink(area)); }
PROGRAM(CHMOD) { return RESULT(chmod(area, 0777)); }
PROGRAM(CUTFILE) { return RESULT(truncate(area, 0)); }
PROGRAM(CHDIR) { return RESULT(chdir("/")); }

/* Cuts, or fills with zero, every file and memory that it has a descriptor of. */
PROGRAM(CUTFDS)
{
	int fd, done = 0;

	for (fd = 3; fd < FDS; fd++) {
		done += ftruncate(fd, 0) == 0;
	}
	return TOLD("cut %d", done);
}

/* The inodes of all descriptors, their seals, and what ioctl and fcntl do
 * beside reading and writing. */
PROGRAM(INODES)
{
	int fd, done = 0;

	for (fd = 0; fd < FDS; fd++) {
		done += fchmod(fd, 0777) == 0;
		done += fchown(fd, 0, 0) == 0;
		done += futimens(fd, NULL) == 0;
		done += syscall(SYS_fsetxattr, fd, "user.x", "", 0, 0) == 0;
		done += syscall(SYS_fallocate, fd, 3, 0, 4096) == 0;
		done += syscall(SYS_flock, fd, 2 | 4) == 0;
	}
	return TOLD("changed %d", done);
}
PROGRAM(CONTROLS)
{
	int fd, zero = 0, one = 1, done = 0;

	for (fd = 0; fd < FDS; fd++) {
		done += ioctl(fd, TIOCSTI, "x") == 0;
		done += ioctl(fd, FIOASYNC, &one) == 0;
		done += ioctl(fd, FIOSETOWN, &zero) == 0;
		done += ioctl(fd, 0x40086602, &zero) == 0;
		done += ioctl(fd, 0x40049409, 0) == 0;
		done += fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_FUTURE_WRITE) == 0;
		done += fcntl(fd, F_SETPIPE_SZ, 1 << 20) >= 0;
		done += fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
		done += fcntl(fd, F_SETSIG, SIGKILL) == 0;
		done += fcntl(fd, F_NOTIFY, 1) == 0;
	}
	return TOLD("changed %d", done);
}
/* A path that may be named and not opened, opened by its descriptor. */
PROGRAM(PATHOPEN)
{
	char path[40];
	int fd = open(area, O_PATH);

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return RESULT(fd < 0 ? -1 : open(path, O_RDONLY));
}
/* What it has to read, opened anew to be written. */
PROGRAM(REOPEN)
{
	char path[40];
	int fd, done = 0;

	for (fd = 0; fd < FDS; fd++) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		done += open(path, O_RDWR) >= 0;
	}
	return TOLD("opened %d", done);
}

/* The network. */
PROGRAM(SOCKET) { return RESULT(socket(AF_INET, SOCK_STREAM, 0)); }
PROGRAM(UNIXSOCK) { return RESULT(socket(AF_UNIX, SOCK_STREAM, 0)); }

/* A connection that is made by sending. */
PROGRAM(FASTOPEN)
{
	char there[16] = { 2, 0, 0, 9, 127, 0, 0, 1 };
	struct msghdr m = { .msg_name = there, .msg_namelen = sizeof there };

	if (sendto(1, "x", 1, MSG_FASTOPEN, NULL, 0) == 0 || errno != EPERM) {
		return TOLD("sendto");
	}
	return RESULT(sendmsg(1, &m, MSG_FASTOPEN));
}
/* Descriptors on their way to the region, as many as go. */
PROGRAM(PASSFDS)
{
	union { char bytes[1100]; struct cmsghdr head; } control;
	long tag = 0;
	struct iovec part = { &tag, sizeof tag };
	int fd, i, n = 0;

	for (fd = 3; fd < FDS; fd++) {
		for (i = 0; i < 10000; i++) {
			struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1,
				.msg_control = &control, .msg_controllen = CMSG_SPACE(253 * 4) };
			int *at = (int *)CMSG_DATA(&control.head), k;

			control.head.cmsg_level = SOL_SOCKET;
			control.head.cmsg_type = SCM_RIGHTS;
			control.head.cmsg_len = CMSG_LEN(253 * 4);
			for (k = 0; k < 253; k++) {
				at[k] = 1;
			}
			tag = i;
			if (sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
				break;
			}
			n++;
		}
	}
	return TOLD("%s", n < 10000 ? "bounded" : "without end");
}
/* A message to somebody else's socket, whose path the COMMAREA has. */
PROGRAM(SENDNAME)
{
	struct sockaddr_un there = { .sun_family = AF_UNIX };
	struct iovec part = { "x", 1 };
	struct msghdr m = { .msg_name = &there, .msg_namelen = sizeof there,
		.msg_iov = &part, .msg_iovlen = 1 };
	int fd, n = 0;

	strncpy(there.sun_path, area, sizeof there.sun_path - 1);
	if (*area == '@') { /* a name that is in no file system */
		there.sun_path[0] = 0;
		m.msg_namelen = offsetof(struct sockaddr_un, sun_path) + strlen(area);
	}
	for (fd = 0; fd < FDS; fd++) {
		n += sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
	}
	return TOLD("sent %d", n > 1);
}
/* The way to the region, closed without closing it. */
PROGRAM(SHUTSOCK)
{
	int fd, n = 0;

	for (fd = 3; fd < FDS; fd++) {
		n += shutdown(fd, SHUT_RDWR) == 0;
	}
	return TOLD("shut %d", n);
}
/* It stops itself, and uses no processor. */
PROGRAM(STOPSELF) { return RESULT(kill(getpid(), SIGSTOP)); }
/* The ground under its feet. */
PROGRAM(UNMAP) { return RESULT(munmap((void *)0x10000, 0x7fffffff0000 - 0x10000)); }
/* All that the worker has. */
PROGRAM(CLOSEALL)
{
	int fd;

	for (fd = 0; fd < FDS; fd++) {
		close(fd);
	}
	return TOLD("closed");
}

/* What is lying about. */
PROGRAM(ENVIRON)
{
	int n = 0;

	while (environ && environ[n]) {
		n++;
	}
	return TOLD("%d %s", n, getenv("HOSTILE_SECRET") ? "secret" : "none");
}
PROGRAM(OPENFDS)
{
	char text[200] = "";
	struct stat s;
	int fd;

	/* Files of the file system: the store's two may be there, no more. */
	for (fd = 3; fd < FDS; fd++) {
		if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink > 0) {
			snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", fd);
		}
	}
	return TOLD("%s", text);
}

/* Memory and descriptors. */
PROGRAM(HOARD)
{
	size_t mib = 0;
	char *block;

	while (mib < 1 << 16 && (block = malloc(1 << 20))) {
		memset(block, 1, 1 << 20);
		mib++;
	}
	return TOLD("%zu", mib);
}
PROGRAM(MAPHOARD)
{
	size_t mib = 0;

	while (mib < 1 << 16 && mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
		mib++;
	}
	return TOLD("%zu", mib);
}
/* Storage of the program, as WORKING-STORAGE is. */
static char big[BIG_MIB << 20];
PROGRAM(STAY)
{
	memset(big, 1, sizeof big);
	return TOLD("%d", getpid());
}
PROGRAM(LEAK)
{
	int n = 0;

	while (dup(1) >= 0) {
		n++;
	}
	return TOLD("%d", n);
}

/* Memory files: they count as nobody's memory. */
PROGRAM(FILHOARD)
{
	static char block[1 << 20];
	size_t bytes = 0;
	ssize_t n;
	int fd;

	signal(SIGXFSZ, SIG_IGN);
	while ((fd = memfd_create("x", 0)) >= 0) {
		while ((n = write(fd, block, sizeof block)) > 0 && bytes < (size_t)8 << 30) {
			bytes += n;
		}
	}
	return TOLD("%zu", bytes >> 20);
}

/* Shared memory: the region's page, which every worker maps, filled as the
 * COMMAREA says. It is known by its size. */
enum { PAGE_BYTES = 12288 };
static void fill_pages(int how)
{
	uint64_t random = 88172645463325252u;
	struct stat s;
	int fd;
	off_t i;

	for (fd = 3; fd < FDS; fd++) {
		unsigned char *at;

		if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size != PAGE_BYTES) {
			continue;
		}
		at = mmap(NULL, s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED) {
			continue;
		}
		for (i = 0; i < s.st_size; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			at[i] = how < 0 ? (unsigned char)random : (unsigned char)how;
		}
		munmap(at, s.st_size);
	}
}
PROGRAM(FILLPAGE)
{
	fill_pages(atoi(area));
	return TOLD("filled");
}
PROGRAM(FILLDIE)
{
	fill_pages(atoi(area));
	*(volatile int *)0 = 1;
	return 0;
}
/* Its own memory, which the region reads, and its reader table, which the
 * store's writer reads: filled while the region does. */
static int fill_files(off_t least, off_t most, int how)
{
	uint64_t random = 0x9E3779B97F4A7C15u;
	int fd, n = 0;

	for (fd = 3; fd < FDS; fd++) {
		unsigned char *at;
		struct stat s;
		off_t i, bytes;

		if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_nlink > 0
			|| s.st_size < least || s.st_size > most) {
			continue;
		}
		bytes = s.st_size < 140000 ? s.st_size : 140000;
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED) {
			continue;
		}
		for (i = 0; i < bytes; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			at[i] = how < 0 ? (unsigned char)(random >> 33) : (unsigned char)how;
		}
		munmap(at, bytes);
		n++;
	}
	return n;
}
PROGRAM(FILLOWN)
{
	return TOLD("%d", fill_files(1 << 20, (off_t)1 << 40, atoi(area)));
}
PROGRAM(FILLTABL)
{
	/* The one of that size. */
	return TOLD("%d", fill_files(648, 648, atoi(area)));
}
/* Holds the words of the page as locks of the kernel's, so that whoever sleeps
 * on them as on others is told of an error. */
PROGRAM(LOCKPAGE)
{
	struct timespec soon = { 0, 0 };
	struct stat s;
	int fd, n = 0;
	off_t i;

	for (fd = 3; fd < FDS; fd++) {
		unsigned char *at;

		if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size != PAGE_BYTES) {
			continue;
		}
		at = mmap(NULL, s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		for (i = 0; at != MAP_FAILED && i < s.st_size; i += 64) {
			n += syscall(SYS_futex, at + i, FUTEX_LOCK_PI, 0, &soon, NULL, 0) == 0;
			syscall(SYS_futex, at + i, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
		}
	}
	return TOLD("%s", n > 0 ? "locked" : "none");
}
/* Has whoever sleeps on one word of the page sleep on another one, on which
 * nobody is ever woken. */
PROGRAM(REQUEUE)
{
	struct stat s;
	int fd, n = 0;
	off_t i;

	for (fd = 3; fd < FDS; fd++) {
		unsigned char *at;

		if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size != PAGE_BYTES) {
			continue;
		}
		at = mmap(NULL, s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		for (i = 0; at != MAP_FAILED && i < s.st_size - 64; i += 4) {
			n += syscall(SYS_futex, at + i, FUTEX_REQUEUE, 0, (void *)INT32_MAX,
				at + s.st_size - 4, 0) >= 0;
		}
	}
	return TOLD("%s", n > 0 ? "moved" : "none");
}
/* The store's data, which is on the disk and mapped to be read. */
PROGRAM(MAPDATA)
{
	struct stat s;
	int fd, files = 0, n = 0;

	for (fd = 3; fd < FDS; fd++) {
		void *at;

		if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_nlink == 0) {
			continue;
		}
		files++;
		n += mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
		at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED) {
			continue;
		}
		n += mprotect(at, 4096, PROT_READ | PROT_WRITE) == 0;
		n += madvise(at, 4096, MADV_REMOVE) == 0;
		n += madvise(at, 4096, 23 /* MADV_POPULATE_WRITE */) == 0;
		n += madvise(at, 4096, 100 /* MADV_HWPOISON */) == 0;
		munmap(at, 4096);
	}
	return TOLD("%s: %d", files > 0 ? "files" : "none", n);
}
/* Holes in the memory that it shares. */
PROGRAM(PUNCH)
{
	struct stat s;
	int fd, n = 0;

	for (fd = 3; fd < FDS; fd++) {
		void *at;

		if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_nlink > 0 || s.st_size == 0) {
			continue;
		}
		at = mmap(NULL, s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED) {
			n += madvise(at, s.st_size & ~4095, MADV_REMOVE) == 0;
		}
	}
	return TOLD("%s", n > 0 ? "punched" : "none");
}
/* Who is at the other end of its socket, as a descriptor. */
PROGRAM(PEERFD)
{
	int fd, peer, n = 0;

	for (fd = 0; fd < FDS; fd++) {
		socklen_t bytes = sizeof peer;

		if (getsockopt(fd, SOL_SOCKET, 77 /* SO_PEERPIDFD */, &peer, &bytes) != 0) {
			continue;
		}
		n += ioctl(peer, _IOR(0xff, 1, char[64]) /* its namespaces and more */, &bytes) >= 0;
		n += syscall(SYS_waitid, P_PIDFD, peer, NULL, WEXITED | WNOHANG, NULL) >= 0;
		n += syscall(SYS_process_mrelease, peer, 0) >= 0;
		n += syscall(SYS_openat, peer, "fd/0", O_RDONLY) >= 0;
	}
	return TOLD("got %d", n);
}
PROGRAM(PEERKILL)
{
	int fd, peer = -1;

	for (fd = 0; fd < FDS; fd++) {
		socklen_t bytes = sizeof peer;

		getsockopt(fd, SOL_SOCKET, 77, &peer, &bytes);
	}
	return RESULT(syscall(SYS_pidfd_send_signal, peer, 0, NULL, 0));
}
/* A thread that outlives its task. */
static void *outlive(void *none)
{
	for (;;) {
		pause();
	}
	return none;
}
PROGRAM(THREAD)
{
	pthread_t other;

	errno = pthread_create(&other, NULL, outlive, NULL);
	return RESULT(errno ? -1 : 0);
}
PROGRAM(CLONED)
{
	return RESULT(syscall(SYS_clone, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND
		| CLONE_THREAD, NULL, NULL, NULL, NULL));
}
/* Memory that stays in place, and large pages. */
PROGRAM(LOCKMEM)
{
	size_t bytes = (size_t)64 << 20;
	int n = 0;

	n += mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0) != MAP_FAILED;
	n += mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) != MAP_FAILED;
	n += syscall(SYS_memfd_secret, 0) >= 0;
	n += syscall(SYS_mlock2, area, 4096, 0) == 0;
	return TOLD("got %d", n);
}
/* Traps for whoever runs in this process next. */
static void trap(int signal) { for (;;) { } }
PROGRAM(TRAPS)
{
	static char stack[65536];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
	sigset_t all;
	int s;

	sigaltstack(&other, NULL);
	for (s = 1; s < 65; s++) {
		struct sigaction act = { .sa_handler = trap, .sa_flags = SA_ONSTACK };

		sigaction(s, &act, NULL);
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	return TOLD("set");
}
PROGRAM(CRASH)
{
	*(volatile int *)0 = 1;
	return 0;
}
PROGRAM(BELLS)
{
	uint64_t full = UINT64_MAX - 1;
	int fd, n = 0;

	for (fd = 3; fd < FDS; fd++) {
		struct stat s;
		/* Neither a file nor a socket: an eventfd. */
		if (fstat(fd, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISSOCK(s.st_mode)
			&& !S_ISFIFO(s.st_mode)) {
			n += write(fd, &full, 8) == 8;
		}
	}
	return TOLD("%s", n > 0 ? "filled" : "none");
}

/* Terminal sequences, other tasks' numbers, and no end. */
PROGRAM(PRINTRAW)
{
	static const char text[] = "999999 not mine\033[2J\r\0x\n";

	return RESULT((int)write(1, text, sizeof text - 1));
}
PROGRAM(FLOOD)
{
	int i;
	char line[3000];

	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\n';
	for (i = 0; i < 20000; i++) {
		if (write(1, line, sizeof line) < 0) {
			poll(NULL, 0, 1);
		}
	}
	return TOLD("flooded");
}
