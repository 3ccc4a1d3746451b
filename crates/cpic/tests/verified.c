/* Allocates a conversation for a user that counts as already verified. */
#include "cmc.h"
#include <stdio.h>
#include <stdlib.h>

static void check(const char *call, CM_INT32 rc) {
    if (rc != CM_OK) {
        printf("%s: return code %d\n", call, rc);
        exit(1);
    }
}

int main(void) {
    unsigned char id[CM_CID_SIZE];
    CM_INT32 rc, same = CM_SECURITY_SAME, length = 5;

    CMINIT(id, (unsigned char *)"READY   ", &rc);
    check("CMINIT", rc);
    CMSCST(id, &same, &rc);
    check("CMSCST", rc);
    CMSCSU(id, (unsigned char *)"ALICE", &length, &rc);
    check("CMSCSU", rc);
    CMALLC(id, &rc);
    check("CMALLC", rc);
    CMDEAL(id, &rc);
    check("CMDEAL", rc);
    printf("done\n");
    return 0;
}
