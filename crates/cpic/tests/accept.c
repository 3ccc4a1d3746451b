/* Calls READY of the partner, so that there is a link, and is called itself:
 * accepts one conversation and gives its records back. */
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
    unsigned char id[CM_CID_SIZE], buffer[32767], name[64];
    CM_INT32 rc, rts, received, data, status, state, level, kind, length;
    CM_INT32 wanted = sizeof buffer, flush = 1;

    CMINIT(id, (unsigned char *)"READY   ", &rc);
    check("CMINIT", rc, CM_OK);
    CMALLC(id, &rc);
    check("CMALLC", rc, CM_OK);
    CMDEAL(id, &rc);
    check("CMDEAL", rc, CM_OK);

    CMACCP(id, &rc);
    check("CMACCP", rc, CM_OK);
    CMECS(id, &state, &rc);
    check("CMECS", rc, CM_OK);
    if (state != CM_RECEIVE_STATE) return 2;
    CMEPLN(id, name, &length, &rc);
    check("CMEPLN", rc, CM_OK);
    printf("%.*s", (int)length, name);
    CMEMN(id, name, &length, &rc);
    check("CMEMN", rc, CM_OK);
    printf(" %.*s", (int)length, name);
    CMETPN(id, name, &length, &rc);
    check("CMETPN", rc, CM_OK);
    printf(" %.*s", (int)length, name);
    CMESL(id, &level, &rc);
    check("CMESL", rc, CM_OK);
    CMECT(id, &kind, &rc);
    check("CMECT", rc, CM_OK);
    printf(" %d %d\n", level, kind);
    CMSEND(id, buffer, &wanted, &rts, &rc);
    check("CMSEND in receive state", rc, CM_PROGRAM_STATE_CHECK);
    CMSPTR(id, &flush, &rc);
    check("CMSPTR", rc, CM_OK);
    length = 0;
    for (;;) {
        CMRCV(id, buffer, &wanted, &data, &received, &status, &rts, &rc);
        if (rc == CM_DEALLOCATED_NORMAL) break;
        check("CMRCV", rc, CM_OK);
        if (data == CM_COMPLETE_DATA_RECEIVED) length = received;
        if (status == CM_CONFIRM_RECEIVED || status == CM_CONFIRM_DEALLOC_RECEIVED) {
            CMCFMD(id, &rc);
            check("CMCFMD", rc, CM_OK);
            if (status == CM_CONFIRM_DEALLOC_RECEIVED) break;
        }
        if (status == CM_SEND_RECEIVED) {
            CMSEND(id, buffer, &length, &rts, &rc);
            check("CMSEND", rc, CM_OK);
            CMPTR(id, &rc);
            check("CMPTR", rc, CM_OK);
        }
    }
    CMECS(id, &state, &rc);
    check("CMECS of an ended conversation", rc, CM_PROGRAM_PARAMETER_CHECK);
    printf("done\n");
    return 0;
}
