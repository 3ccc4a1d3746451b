       CBL CICS('COBOL3')
000100 IDENTIFICATION DIVISION.                                         BASICS01
000200 PROGRAM-ID. BASICS.                                              BASICS01
000300 AUTHOR. O'BRIEN, who wrote this
000400         in two lines.
000500 DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                  PIC S9(8) COMP.
       01  WS-RESP2                 PIC S9(8) COMP.
       01  WS-RECORD                PIC X(80).
       01  WS-KEY                   PIC X(8).
       01  WS-LEN                   PIC S9(4) COMP.
       01  WS-TIME                  PIC S9(15) COMP-3.
       01  WS-DATE                  PIC X(10).
       01  WS-TEXT                  PIC X(30) VALUE
           'EXEC CICS is not here END-EXEC'.
       01  WS-PTR                   USAGE POINTER.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           03  CA-ITEM              PIC X OCCURS 1 TO 4096
                                    DEPENDING ON EIBCALEN.
       01  LK-AREA                  PIC X(100).
       PROCEDURE DIVISION USING BY REFERENCE DFHCOMMAREA.
       MAIN-LINE SECTION.
           IF EIBCALEN = 0
               EXEC
                   CICS ABEND ABCODE('NOCA')
                        NODUMP
               END-EXEC
           END-IF.
      * A comment between
           EXEC CICS READ FILE('ACCOUNTS')
                INTO(WS-RECORD) LENGTH(LENGTH OF WS-RECORD)
                RIDFLD(WS-KEY)  KEYLENGTH(8)
                GENERIC GTEQ
                RESP(WS-RESP) RESP2(WS-RESP2)
           END-EXEC
           EVALUATE WS-RESP
               WHEN DFHRESP(NORMAL)
                   CONTINUE
               WHEN DFHRESP (NOTFND)
                   EXEC CICS RETURN END-EXEC
               WHEN OTHER
                   PERFORM UNTIL WS-LEN > 3
                       ADD 1 TO WS-LEN
                       EXEC CICS DELETE DATASET('ACCOUNTS')
                            RIDFLD(WS-KEY(1:WS-LEN)) NOHANDLE END-EXEC
                   END-PERFORM
           END-EVALUATE
           DISPLAY 'EXEC CICS RETURN END-EXEC'
           EXEC CICS ASKTIME ABSTIME(WS-TIME) END-EXEC.
           EXEC CICS FORMATTIME ABSTIME(WS-TIME)
                DDMMYYYY(WS-DATE) DATESEP TIMESEP('.') END-EXEC.
           EXEC CICS GETMAIN SET(ADDRESS OF LK-AREA)
                FLENGTH(WS-LEN * 2 + 1) END-EXEC.
           EXEC CICS LINK PROGRAM('SUB') COMMAREA(WS-RECORD)
                LENGTH(LENGTH OF WS-RECORD - 1) END-EXEC.
           EXEC CICS ADDRESS TWA(WS-PTR) END-EXEC.
           MOVE DFHVALUE(ENABLED) TO WS-LEN.
           EXEC CICS RETURN END-EXEC.
