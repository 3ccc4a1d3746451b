       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM                      PIC X(4) VALUE 'item'.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-SHOWN                     PIC 9(3).
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           EVALUATE HELLO-NAME
             WHEN 'none'
               EXEC CICS START TRANSID('NONE') SYSID('PEER')
                    RESP(WS-RESP) END-EXEC
             WHEN 'protect'
               EXEC CICS START TRANSID('TAKE') SYSID('PEER') PROTECT
                    RESP(WS-RESP) END-EXEC
             WHEN 'wrong'
               EXEC CICS START TRANSID('TAKE') SYSID('PEER')
                    INTERVAL(99) RESP(WS-RESP) END-EXEC
             WHEN OTHER
               EXEC CICS START TRANSID('TAKE') SYSID('PEER')
                    FROM(WS-ITEM) LENGTH(4) REQID('MINE')
                    AFTER SECONDS(0) RESP(WS-RESP) END-EXEC
           END-EVALUATE
           MOVE WS-RESP TO WS-SHOWN
           MOVE SPACES TO HELLO-GREETING
           MOVE WS-SHOWN TO HELLO-GREETING
           IF WS-RESP = 0
               MOVE EIBREQID TO HELLO-GREETING(5:8)
           END-IF
           EXEC CICS RETURN END-EXEC.
