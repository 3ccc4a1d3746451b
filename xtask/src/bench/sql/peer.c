/* The peer of the SQL bench: the same statements through libpq, prepared once, with
 * binary parameters and results, over the same socket.
 *
 * peer CONNINFO select N | update N | fetch N | flush N FILE
 *
 * Prints nanoseconds of elapsed time and of CPU, of one statement, unit, row or flush.
 */
#include <fcntl.h>
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static PGconn *connection;

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s", what, connection ? PQerrorMessage(connection) : "\n");
    exit(1);
}

static PGresult *checked(PGresult *result, ExecStatusType wanted)
{
    if (PQresultStatus(result) != wanted)
        fail("statement");
    return result;
}

static void prepare(const char *name, const char *sql)
{
    PQclear(checked(PQprepare(connection, name, sql, 0, NULL), PGRES_COMMAND_OK));
}

/* The keys that the COBOL programs use, in their order. */
static uint32_t next_key(uint32_t key)
{
    return (uint32_t)(((uint64_t)key * 1601 + 51749) % 10000);
}

static PGresult *by_key(const char *name, uint32_t key)
{
    uint32_t big = htonl(key);
    const char *values[] = {(const char *)&big};
    int lengths[] = {4}, formats[] = {1};
    return PQexecPrepared(connection, name, 1, values, lengths, formats, 1);
}

static void plain(const char *name)
{
    PQclear(checked(PQexecPrepared(connection, name, 0, NULL, NULL, NULL, 1), PGRES_COMMAND_OK));
}

static void selects(long times)
{
    uint32_t key = 1;
    char text[64];
    plain("begin");
    for (long i = 0; i < times; i++) {
        PGresult *row;
        key = next_key(key);
        row = checked(by_key("select", key), PGRES_TUPLES_OK);
        if (PQntuples(row) != 1)
            fail("no row");
        memcpy(text, PQgetvalue(row, 0, 0), (size_t)PQgetlength(row, 0, 0));
        PQclear(row);
    }
    plain("commit");
}

static void updates(long times)
{
    uint32_t key = 1;
    for (long i = 0; i < times; i++) {
        key = next_key(key);
        plain("begin");
        PQclear(checked(by_key("update", key), PGRES_COMMAND_OK));
        plain("commit");
    }
}

static long fetches(void)
{
    char text[64];
    long rows = 0;
    plain("begin");
    if (!PQsendQueryPrepared(connection, "all", 0, NULL, NULL, NULL, 1) ||
        !PQsetSingleRowMode(connection))
        fail("send");
    for (PGresult *row; (row = PQgetResult(connection)) != NULL; PQclear(row)) {
        if (PQntuples(row) != 1)
            continue;
        for (int column = 0; column < PQnfields(row); column++)
            memcpy(text, PQgetvalue(row, 0, column), (size_t)PQgetlength(row, 0, column));
        rows++;
    }
    plain("commit");
    return rows;
}

static void flushes(long times, const char *file)
{
    static char page[4096];
    int fd = open(file, O_CREAT | O_RDWR, 0600);
    if (fd < 0)
        fail("open");
    for (long i = 0; i < times; i++) {
        if (pwrite(fd, page, sizeof page, 0) != sizeof page || fdatasync(fd) != 0)
            fail("flush");
    }
    close(fd);
}

int main(int count, char **arguments)
{
    double elapsed, cpu;
    long times = count > 3 ? atol(arguments[3]) : 0;
    const char *mode = count > 3 ? arguments[2] : "";
    if (times <= 0)
        fail("usage");
    if (strcmp(mode, "flush") != 0) {
        connection = PQconnectdb(arguments[1]);
        if (PQstatus(connection) != CONNECTION_OK)
            fail("connect");
        prepare("begin", "BEGIN");
        prepare("commit", "COMMIT");
        prepare("select", "SELECT \"NAME\" FROM \"BANK\".\"ITEM\" WHERE \"ID\" = $1::int4");
        prepare("update",
                "UPDATE \"BANK\".\"ITEM\" SET \"COUNTED\" = \"COUNTED\" + 1 WHERE \"ID\" = $1::int4");
        prepare("all", "SELECT \"ID\", \"NAME\", \"COUNTED\" FROM \"BANK\".\"LEDGER\"");
    }
    elapsed = seconds(CLOCK_MONOTONIC);
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (strcmp(mode, "select") == 0)
        selects(times);
    else if (strcmp(mode, "update") == 0)
        updates(times);
    else if (strcmp(mode, "fetch") == 0)
        times = fetches();
    else if (strcmp(mode, "flush") == 0 && count > 4)
        flushes(times, arguments[4]);
    else
        fail("usage");
    elapsed = seconds(CLOCK_MONOTONIC) - elapsed;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("%.1f %.1f\n", elapsed * 1e9 / (double)times, cpu * 1e9 / (double)times);
    return 0;
}
