/* Every call of cmc.h against a real partner: what it does, what it refuses, and
 * the state that follows. Prints "done" when all was as documented.
 *
 * The partner's program does what the first letter of the first record says. */
#include "cmc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char id[CM_CID_SIZE], buffer[32767];
static CM_INT32 rc, rts, data, status, got;

static void fail(const char *what, int wanted, int line) {
    printf("line %d: %s: return code %d, wanted %d\n", line, what, rc, wanted);
    exit(1);
}

#define WANT(code, call)                                   \
    do {                                                   \
        rc = -1;                                           \
        call;                                              \
        if (rc != (code)) fail(#call, code, __LINE__);     \
    } while (0)
#define CHECK(that)                                                             \
    do {                                                                        \
        if (!(that)) {                                                          \
            printf("line %d: not so: %s (data %d, length %d, status %d)\n",     \
                   __LINE__, #that, data, got, status);                         \
            exit(1);                                                            \
        }                                                                       \
    } while (0)
#define STATE(wanted)                                      \
    do {                                                   \
        CM_INT32 state = -1;                               \
        WANT(CM_OK, CMECS(id, &state, &rc));               \
        if (state != (wanted)) {                           \
            printf("line %d: state %d, wanted %d\n", __LINE__, state, wanted); \
            exit(1);                                       \
        }                                                  \
    } while (0)

static CM_INT32 *number(CM_INT32 value) {
    static CM_INT32 places[8];
    static int next;
    next = (next + 1) % 8;
    places[next] = value;
    return &places[next];
}

#define SET(call, value) WANT(CM_OK, call(id, number(value), &rc))

static void send(const char *record) {
    WANT(CM_OK, CMSEND(id, (unsigned char *)record, number((int)strlen(record)), &rts, &rc));
}

static void receive(int code) {
    WANT(code, CMRCV(id, buffer, number(sizeof buffer), &data, &got, &status, &rts, &rc));
}

/* Receives until there is a status; the last record stays in `buffer`. */
static void receive_status(int wanted) {
    int length = 0;
    do {
        receive(CM_OK);
        if (data == CM_COMPLETE_DATA_RECEIVED) length = got;
    } while (status == CM_NO_STATUS_RECEIVED);
    got = length;
    CHECK(status == wanted);
}

static void begin(int sync) {
    WANT(CM_OK, CMINIT(id, (unsigned char *)"PARTNER ", &rc));
    SET(CMSSL, sync);
    STATE(CM_INITIALIZE_STATE);
    WANT(CM_OK, CMALLC(id, &rc));
    STATE(CM_SEND_STATE);
}

static void gone(void) {
    CM_INT32 state;
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMECS(id, &state, &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMDEAL(id, &rc));
}

/* What every call answers to null pointers and to a conversation nobody has. */
static void wrong_parameters(void) {
    unsigned char other[CM_CID_SIZE];
    memcpy(other, "NOTHERE!", CM_CID_SIZE);
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMINIT(id, (unsigned char *)"UNKNOWN ", &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMINIT(id, NULL, &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMINIT(NULL, (unsigned char *)"PARTNER ", &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMACCP(NULL, &rc));
    CMALLC(other, NULL); /* No place for a return code: nothing happens. */
#define BAD(call)                                                          \
    for (int null = 0; null < 2; null++) {                                 \
        unsigned char *cid = null ? NULL : other;                          \
        WANT(CM_PROGRAM_PARAMETER_CHECK, call);                            \
    }
    BAD(CMACCI(cid, &rc));
    BAD(CMALLC(cid, &rc));
    BAD(CMCANC(cid, &rc));
    BAD(CMCFM(cid, &rts, &rc));
    BAD(CMCFMD(cid, &rc));
    BAD(CMDEAL(cid, &rc));
    BAD(CMECS(cid, &got, &rc));
    BAD(CMECT(cid, &got, &rc));
    BAD(CMEMN(cid, buffer, &got, &rc));
    BAD(CMEPLN(cid, buffer, &got, &rc));
    BAD(CMESL(cid, &got, &rc));
    BAD(CMESUI(cid, buffer, &got, &rc));
    BAD(CMETPN(cid, buffer, &got, &rc));
    BAD(CMFLUS(cid, &rc));
    BAD(CMPTR(cid, &rc));
    BAD(CMRCV(cid, buffer, number(10), &data, &got, &status, &rts, &rc));
    BAD(CMRTS(cid, &rc));
    BAD(CMSCST(cid, number(0), &rc));
    BAD(CMSCSP(cid, buffer, number(0), &rc));
    BAD(CMSCSU(cid, buffer, number(0), &rc));
    BAD(CMSCT(cid, number(1), &rc));
    BAD(CMSDT(cid, number(0), &rc));
    BAD(CMSED(cid, number(0), &rc));
    BAD(CMSEND(cid, buffer, number(1), &rts, &rc));
    BAD(CMSERR(cid, &rts, &rc));
    BAD(CMSF(cid, number(0), &rc));
    BAD(CMSLD(cid, buffer, number(0), &rc));
    BAD(CMSMN(cid, buffer, number(0), &rc));
    BAD(CMSPLN(cid, (unsigned char *)"A.B", number(3), &rc));
    BAD(CMSPTR(cid, number(0), &rc));
    BAD(CMSRC(cid, number(0), &rc));
    BAD(CMSRT(cid, number(0), &rc));
    BAD(CMSSL(cid, number(0), &rc));
    BAD(CMSST(cid, number(0), &rc));
    BAD(CMSTPN(cid, (unsigned char *)"X", number(1), &rc));
    BAD(CMTRTS(cid, &rts, &rc));
}

/* Setters and extractors, their ranges, and the Initialize state's refusals. */
static void characteristics(void) {
    WANT(CM_OK, CMINIT(id, (unsigned char *)"        ", &rc));
    /* Names that nobody set are a blank, but the mode is empty. */
    WANT(CM_OK, CMEPLN(id, buffer, &got, &rc));
    CHECK(got == 1 && buffer[0] == ' ');
    WANT(CM_OK, CMETPN(id, buffer, &got, &rc));
    CHECK(got == 1 && buffer[0] == ' ');
    WANT(CM_OK, CMEMN(id, buffer, &got, &rc));
    CHECK(got == 0);
    WANT(CM_PARAMETER_ERROR, CMALLC(id, &rc));
    WANT(CM_OK, CMSPLN(id, (unsigned char *)"NET.NOWHERE", number(11), &rc));
    WANT(CM_OK, CMSTPN(id, (unsigned char *)"PARTNER   ", number(10), &rc));
    WANT(CM_PARAMETER_ERROR, CMALLC(id, &rc));
    WANT(CM_OK, CMSPLN(id, (unsigned char *)"NET.SERVER", number(10), &rc));
    WANT(CM_OK, CMSMN(id, (unsigned char *)"#INTER\0 ", number(8), &rc));
    WANT(CM_OK, CMEPLN(id, buffer, &got, &rc));
    CHECK(got == 10 && memcmp(buffer, "NET.SERVER", 10) == 0);
    WANT(CM_OK, CMEMN(id, buffer, &got, &rc));
    CHECK(got == 6 && memcmp(buffer, "#INTER", 6) == 0);
    WANT(CM_OK, CMETPN(id, buffer, &got, &rc));
    CHECK(got == 7 && memcmp(buffer, "PARTNER", 7) == 0);
    WANT(CM_OK, CMECT(id, &got, &rc));
    CHECK(got == CM_MAPPED_CONVERSATION);
    WANT(CM_OK, CMESL(id, &got, &rc));
    CHECK(got == CM_NONE);
    /* Lengths and characters that cannot be. */
    for (int wrong = -1; wrong < 3; wrong++) {
        CM_INT32 length = wrong == -1 ? -1 : 100000 * wrong + 65;
        WANT(CM_PROGRAM_PARAMETER_CHECK, CMSTPN(id, buffer, &length, &rc));
        WANT(CM_PROGRAM_PARAMETER_CHECK, CMSMN(id, buffer, &length, &rc));
        WANT(CM_PROGRAM_PARAMETER_CHECK, CMSPLN(id, buffer, &length, &rc));
        WANT(CM_PROGRAM_PARAMETER_CHECK, CMSCSU(id, buffer, &length, &rc));
        WANT(CM_PROGRAM_PARAMETER_CHECK, CMSCSP(id, buffer, &length, &rc));
    }
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSPLN(id, (unsigned char *)"no dot", number(6), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSPLN(id, NULL, number(6), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSMN(id, (unsigned char *)"\377\377", number(2), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSTPN(id, buffer, NULL, &rc));
#define RANGE(call, first_wrong)                                          \
    WANT(CM_PROGRAM_PARAMETER_CHECK, call(id, number(first_wrong), &rc)); \
    WANT(CM_PROGRAM_PARAMETER_CHECK, call(id, number(-1), &rc));          \
    WANT(CM_PROGRAM_PARAMETER_CHECK, call(id, NULL, &rc));                \
    WANT(CM_OK, call(id, number(0), &rc))
    RANGE(CMSCST, 3);
    RANGE(CMSDT, 4);
    RANGE(CMSED, 2);
    RANGE(CMSPTR, 3);
    RANGE(CMSRC, 2);
    RANGE(CMSRT, 2);
    RANGE(CMSSL, 3);
    RANGE(CMSST, 5);
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSF(id, number(0), &rc)); /* Mapped. */
    RANGE(CMSCT, 2);
    RANGE(CMSF, 2); /* Basic now. */
    WANT(CM_OK, CMSLD(id, (unsigned char *)"log", number(3), &rc));
    WANT(CM_OK, CMSLD(id, NULL, number(0), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSLD(id, buffer, number(513), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSLD(id, NULL, number(5), &rc));
    SET(CMSCT, CM_MAPPED_CONVERSATION);
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSLD(id, (unsigned char *)"log", number(3), &rc));
    /* A user goes with a security type. */
    WANT(CM_PROGRAM_STATE_CHECK, CMSCSU(id, (unsigned char *)"ALICE", number(5), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSCSP(id, (unsigned char *)"SECRET", number(6), &rc));
    WANT(CM_OK, CMESUI(id, buffer, &got, &rc));
    CHECK(got == 0);
    SET(CMSCST, CM_SECURITY_PROGRAM);
    WANT(CM_OK, CMSCSU(id, (unsigned char *)"ALICE", number(5), &rc));
    WANT(CM_OK, CMSCSP(id, (unsigned char *)"SECRET", number(6), &rc));
    WANT(CM_OK, CMESUI(id, buffer, &got, &rc));
    CHECK(got == 5 && memcmp(buffer, "ALICE", 5) == 0);
    /* Nothing but setting goes on in this state. */
    WANT(CM_PROGRAM_STATE_CHECK, CMSEND(id, buffer, number(1), &rts, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMRCV(id, buffer, number(1), &data, &got, &status, &rts, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMCFM(id, &rts, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMCFMD(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMPTR(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMFLUS(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSERR(id, &rts, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMRTS(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMTRTS(id, &rts, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMDEAL(id, &rc));
    STATE(CM_INITIALIZE_STATE);
    SET(CMSDT, CM_DEALLOCATE_ABEND);
    WANT(CM_OK, CMDEAL(id, &rc));
    gone();
}

/* What the send state refuses, and a record that goes and comes back. */
static void echo(void) {
    begin(CM_CONFIRM);
    WANT(CM_PROGRAM_STATE_CHECK, CMALLC(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMCFMD(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSSL(id, number(0), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSMN(id, buffer, number(0), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSPLN(id, (unsigned char *)"A.B", number(3), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSTPN(id, (unsigned char *)"X", number(1), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSCT(id, number(1), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSRC(id, number(0), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSCST(id, number(0), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSCSU(id, (unsigned char *)"A", number(1), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSCSP(id, (unsigned char *)"A", number(1), &rc));
    SET(CMSRT, CM_RECEIVE_IMMEDIATE);
    receive(CM_PROGRAM_STATE_CHECK);
    SET(CMSRT, CM_RECEIVE_AND_WAIT);
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSEND(id, buffer, number(32768), &rts, &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSEND(id, buffer, number(-1), &rts, &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSEND(id, NULL, number(1), &rts, &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSEND(id, buffer, NULL, &rts, &rc));
    STATE(CM_SEND_STATE);
    send("Echo");
    WANT(CM_OK, CMFLUS(id, &rc));
    STATE(CM_SEND_STATE);
    WANT(CM_OK, CMCFM(id, &rts, &rc));
    STATE(CM_SEND_STATE);
    SET(CMSPTR, CM_PREP_TO_RECEIVE_FLUSH);
    WANT(CM_OK, CMPTR(id, &rc));
    STATE(CM_RECEIVE_STATE);
    WANT(CM_PROGRAM_STATE_CHECK, CMSEND(id, buffer, number(1), &rts, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMCFM(id, &rts, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMPTR(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMFLUS(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMCFMD(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMDEAL(id, &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMRCV(id, NULL, number(1), &data, &got, &status, &rts, &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMRCV(id, buffer, number(32768), &data, &got, &status, &rts, &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMRCV(id, buffer, NULL, &data, &got, &status, &rts, &rc));
    /* A piece at a time. */
    do {
        WANT(CM_OK, CMRCV(id, buffer, number(3), &data, &got, &status, &rts, &rc));
    } while (data == CM_NO_DATA_RECEIVED);
    CHECK(data == CM_INCOMPLETE_DATA_RECEIVED && got == 3 && memcmp(buffer, "Ech", 3) == 0);
    WANT(CM_OK, CMRCV(id, buffer, number(3), &data, &got, &status, &rts, &rc));
    CHECK(data == CM_COMPLETE_DATA_RECEIVED && got == 1 && buffer[0] == 'o');
    if (status == CM_NO_STATUS_RECEIVED) {
        receive(CM_OK);
        CHECK(status == CM_SEND_RECEIVED && data == CM_NO_DATA_RECEIVED);
        STATE(CM_SEND_STATE);
    } else {
        CHECK(status == CM_SEND_RECEIVED);
        STATE(CM_SEND_PENDING_STATE);
    }
    SET(CMSST, CM_SEND_AND_CONFIRM);
    send("once more");
    SET(CMSST, CM_SEND_AND_FLUSH);
    send("and again");
    STATE(CM_SEND_STATE);
    SET(CMSST, CM_SEND_AND_DEALLOCATE);
    SET(CMSDT, CM_DEALLOCATE_CONFIRM);
    send("the last");
    gone();
}

/* Confirmations that the partner asks for, one kind after the other. */
static void confirmed(char kind, int wanted, int in, int after) {
    char record[2] = {kind, 0};
    begin(CM_CONFIRM);
    SET(CMSST, CM_SEND_AND_PREP_TO_RECEIVE);
    SET(CMSPTR, CM_PREP_TO_RECEIVE_FLUSH);
    send(record);
    STATE(CM_RECEIVE_STATE);
    receive_status(wanted);
    CHECK(got == 5 && memcmp(buffer, "reply", 5) == 0);
    STATE(in);
    WANT(CM_PROGRAM_STATE_CHECK, CMSEND(id, buffer, number(1), &rts, &rc));
    receive(CM_PROGRAM_STATE_CHECK);
    WANT(CM_PROGRAM_STATE_CHECK, CMDEAL(id, &rc));
    WANT(CM_OK, CMCFMD(id, &rc));
    if (after == 0) {
        gone();
        return;
    }
    STATE(after);
    WANT(CM_OK, CMCANC(id, &rc));
    gone();
}

static void errors(void) {
    /* The partner answers a request to confirm with an error. */
    begin(CM_CONFIRM);
    send("Sorry");
    WANT(CM_PROGRAM_ERROR_PURGING, CMCFM(id, &rts, &rc));
    STATE(CM_RECEIVE_STATE);
    receive(CM_OK);
    CHECK(data == CM_COMPLETE_DATA_RECEIVED && memcmp(buffer, "sorry", 5) == 0);
    if (status == CM_NO_STATUS_RECEIVED) receive(CM_DEALLOCATED_NORMAL);
    gone();
    /* It ends abnormally. */
    begin(CM_CONFIRM);
    send("Abend");
    WANT(CM_DEALLOCATED_ABEND, CMCFM(id, &rts, &rc));
    gone();
    /* This side reports an error instead of reading the answer. */
    begin(CM_CONFIRM);
    SET(CMSED, CM_RECEIVE_ERROR);
    send("Wait for an error");
    WANT(CM_OK, CMSERR(id, &rts, &rc));
    STATE(CM_SEND_STATE);
    WANT(CM_OK, CMCFM(id, &rts, &rc));
    SET(CMSDT, CM_DEALLOCATE_ABEND);
    WANT(CM_OK, CMDEAL(id, &rc));
    gone();
    /* A program that is not there, and a wrong password. */
    WANT(CM_OK, CMINIT(id, (unsigned char *)"PARTNER ", &rc));
    WANT(CM_OK, CMSTPN(id, (unsigned char *)"NOTHERE", number(7), &rc));
    SET(CMSSL, CM_CONFIRM);
    WANT(CM_OK, CMALLC(id, &rc));
    WANT(CM_TPN_NOT_RECOGNIZED, CMCFM(id, &rts, &rc));
    gone();
    for (int good = 0; good < 2; good++) {
        WANT(CM_OK, CMINIT(id, (unsigned char *)"PARTNER", &rc));
        SET(CMSSL, CM_CONFIRM);
        SET(CMSCST, CM_SECURITY_PROGRAM);
        WANT(CM_OK, CMSCSU(id, (unsigned char *)"ALICE", number(5), &rc));
        WANT(CM_OK, CMSCSP(id, (unsigned char *)(good ? "SECRET" : "WRONG "), number(6), &rc));
        WANT(CM_OK, CMALLC(id, &rc));
        send("Confirm");
        WANT(good ? CM_OK : CM_SECURITY_NOT_VALID, CMCFM(id, &rts, &rc));
        if (good) WANT(CM_OK, CMCANC(id, &rc));
        gone();
    }
    /* Nobody listens where the side information says. */
    WANT(CM_OK, CMINIT(id, (unsigned char *)"GONE    ", &rc));
    WANT(CM_ALLOCATE_FAILURE_RETRY, CMALLC(id, &rc));
    gone();
}

static void requests_to_send(void) {
    begin(CM_CONFIRM);
    send("Request");
    WANT(CM_OK, CMCFM(id, &rts, &rc));
    if (rts == CM_REQ_TO_SEND_NOT_RECEIVED) {
        WANT(CM_OK, CMTRTS(id, &rts, &rc));
        CHECK(rts == CM_REQ_TO_SEND_RECEIVED);
    }
    WANT(CM_OK, CMTRTS(id, &rts, &rc));
    CHECK(rts == CM_REQ_TO_SEND_NOT_RECEIVED);
    SET(CMSDT, CM_DEALLOCATE_FLUSH);
    WANT(CM_OK, CMDEAL(id, &rc));
    gone();
    /* The other way round: the partner hears it before it gives the turn. */
    begin(CM_CONFIRM);
    SET(CMSST, CM_SEND_AND_PREP_TO_RECEIVE);
    SET(CMSPTR, CM_PREP_TO_RECEIVE_FLUSH);
    send("Told to send");
    WANT(CM_OK, CMRTS(id, &rc));
    SET(CMSRT, CM_RECEIVE_IMMEDIATE);
    int polls = 0;
    do {
        CMRCV(id, buffer, number(sizeof buffer), &data, &got, &status, &rts, &rc);
        polls++;
    } while (rc == CM_UNSUCCESSFUL);
    CHECK(polls > 0 && rc == CM_OK);
    WANT(CM_OK, CMCANC(id, &rc));
}

/* What is about no conversation, and one that waits to be accepted. */
static void services(void) {
    unsigned char text[] = "Az 09+\377";
    unsigned char ebcdic[] = {0xC1, 0xA9, 0x40, 0xF0, 0xF9, 0x4E, 0x6F};
    WANT(CM_OK, CMEMBS(&got, &rc));
    CHECK(got == sizeof buffer);
    WANT(CM_OK, CMCNVO(text, number(7), &rc));
    CHECK(memcmp(text, ebcdic, 7) == 0);
    WANT(CM_OK, CMCNVI(text, number(7), &rc));
    CHECK(memcmp(text, "Az 09+?", 7) == 0);
    WANT(CM_OK, CMCNVI(NULL, number(0), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMCNVI(NULL, number(1), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMCNVI(text, number(-1), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMCNVO(buffer, number(32768), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMCNVO(buffer, NULL, &rc));
    /* Without a name there is nothing to accept. */
    WANT(CM_PROGRAM_STATE_CHECK, CMACCP(id, &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMINIC(NULL, &rc));
    WANT(CM_OK, CMINIC(id, &rc));
    STATE(CM_INITIALIZE_INCOMING_STATE);
    WANT(CM_PROGRAM_STATE_CHECK, CMACCI(id, &rc));
    STATE(CM_INITIALIZE_INCOMING_STATE);
    WANT(CM_PROGRAM_STATE_CHECK, CMALLC(id, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMEPLN(id, buffer, &got, &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMSSL(id, number(0), &rc));
    WANT(CM_OK, CMCANC(id, &rc));
    gone();
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMRLTP((unsigned char *)"MINE", number(4), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSLTP((unsigned char *)"MINE", number(0), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSLTP(buffer, number(65), &rc));
    WANT(CM_PROGRAM_PARAMETER_CHECK, CMSLTP(NULL, number(4), &rc));
    WANT(CM_OK, CMSLTP((unsigned char *)"MINE", number(4), &rc));
    WANT(CM_OK, CMRLTP((unsigned char *)"MINE", number(4), &rc));
    WANT(CM_PROGRAM_STATE_CHECK, CMACCP(id, &rc));
}

int main(void) {
    wrong_parameters();
    services();
    characteristics();
    echo();
    confirmed('F', CM_CONFIRM_RECEIVED, CM_CONFIRM_STATE, CM_RECEIVE_STATE);
    confirmed('P', CM_CONFIRM_SEND_RECEIVED, CM_CONFIRM_SEND_STATE, CM_SEND_STATE);
    confirmed('D', CM_CONFIRM_DEALLOC_RECEIVED, CM_CONFIRM_DEALLOCATE_STATE, 0);
    errors();
    requests_to_send();
    printf("done\n");
    return 0;
}
