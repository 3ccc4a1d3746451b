/* Names itself as a program, accepts conversations of two names through
 * CMINIC and CMACCI, and gives each one record back. */
#include "cmc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const char *call, CM_INT32 rc, CM_INT32 wanted) {
    if (rc != wanted) {
        printf("%s: return code %d\n", call, rc);
        exit(1);
    }
}

int main(void) {
    unsigned char id[CM_CID_SIZE], buffer[100], name[CM_TPN_SIZE], user[CM_UID_SIZE];
    CM_INT32 rc, rts, received, data, status, state, length, user_length;
    CM_INT32 wanted = sizeof buffer, deallocate = CM_SEND_AND_DEALLOCATE;
    const char *names[] = {"FIRST", "SECOND"};

    for (int at = 0; at < 2; at++) {
        length = (CM_INT32)strlen(names[at]);
        CMSLTP((unsigned char *)names[at], &length, &rc);
        check("CMSLTP", rc, CM_OK);
    }
    CMINIT(id, (unsigned char *)"READY   ", &rc);
    check("CMINIT", rc, CM_OK);
    CMALLC(id, &rc);
    check("CMALLC", rc, CM_OK);
    CMDEAL(id, &rc);
    check("CMDEAL", rc, CM_OK);

    for (int at = 0; at < 2; at++) {
        CMINIC(id, &rc);
        check("CMINIC", rc, CM_OK);
        CMSST(id, &deallocate, &rc);
        check("CMSST", rc, CM_OK);
        CMACCI(id, &rc);
        check("CMACCI", rc, CM_OK);
        CMECS(id, &state, &rc);
        check("CMECS", rc, CM_OK);
        if (state != CM_RECEIVE_STATE) return 2;
        CMACCI(id, &rc);
        check("CMACCI once more", rc, CM_PROGRAM_STATE_CHECK);
        CMETPN(id, name, &length, &rc);
        check("CMETPN", rc, CM_OK);
        CMESUI(id, user, &user_length, &rc);
        check("CMESUI", rc, CM_OK);
        printf("%.*s of %.*s\n", (int)length, name, (int)user_length, user);
        length = 0;
        do {
            CMRCV(id, buffer, &wanted, &data, &received, &status, &rts, &rc);
            check("CMRCV", rc, CM_OK);
            if (data == CM_COMPLETE_DATA_RECEIVED) length = received;
        } while (status != CM_SEND_RECEIVED);
        CMSEND(id, buffer, &length, &rts, &rc);
        check("CMSEND that deallocates", rc, CM_OK);
        length = (CM_INT32)strlen(names[at]);
        CMRLTP((unsigned char *)names[at], &length, &rc);
        check("CMRLTP", rc, CM_OK);
    }
    CMACCP(id, &rc);
    check("CMACCP without a name", rc, CM_PROGRAM_STATE_CHECK);
    printf("done\n");
    return 0;
}
