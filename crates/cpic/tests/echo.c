/* Exchanges versions and one record with an APINGD, through CPI-C. */
#include "cmc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const char *call, CM_INT32 rc) {
    if (rc != CM_OK) {
        printf("%s: return code %d\n", call, rc);
        exit(1);
    }
}

int main(void) {
    unsigned char id[CM_CID_SIZE], buffer[32767];
    CM_INT32 rc, rts, received, data, status, state;
    CM_INT32 confirm = CM_CONFIRM, turn = CM_SEND_AND_PREP_TO_RECEIVE;
    CM_INT32 flush = CM_PREP_TO_RECEIVE_FLUSH, dealloc = CM_DEALLOCATE_FLUSH, length = 3;

    CMINIT(id, (unsigned char *)"ECHO    ", &rc);
    check("CMINIT", rc);
    CMECS(id, &state, &rc);
    check("CMECS", rc);
    if (state != CM_INITIALIZE_STATE) return 2;
    CMSSL(id, &confirm, &rc);
    check("CMSSL", rc);
    CMALLC(id, &rc);
    check("CMALLC", rc);
    CMSPTR(id, &flush, &rc);
    check("CMSPTR", rc);
    CMSST(id, &turn, &rc);
    check("CMSST", rc);
    for (int round = 0; round < 2; round++) {
        const char *record = round == 0 ? "\1\2\53" : "a record from C";
        length = (CM_INT32)strlen(record);
        CMSEND(id, (unsigned char *)record, &length, &rts, &rc);
        check("CMSEND", rc);
        CM_INT32 wanted = sizeof buffer, total = 0;
        do {
            CMRCV(id, buffer + total, &wanted, &data, &received, &status, &rts, &rc);
            check("CMRCV", rc);
            if (data != CM_NO_DATA_RECEIVED) total += received;
            wanted = (CM_INT32)sizeof buffer - total;
        } while (status != CM_SEND_RECEIVED);
        if (round == 1) printf("%.*s\n", (int)total, buffer);
    }
    CMRCV((unsigned char *)"NOTHERE!", buffer, &length, &data, &received, &status, &rts, &rc);
    if (rc != CM_PROGRAM_PARAMETER_CHECK) return 3;
    CMSDT(id, &dealloc, &rc);
    check("CMSDT", rc);
    CMDEAL(id, &rc);
    check("CMDEAL", rc);
    return 0;
}
