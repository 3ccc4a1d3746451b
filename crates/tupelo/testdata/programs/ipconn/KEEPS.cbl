       IDENTIFICATION DIVISION.
       PROGRAM-ID. KEEPS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM                      PIC X(4) VALUE 'item'.
       01  WS-ITEMS                     PIC S9(4) COMP VALUE 0.
       01  WS-START                     PIC XX.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-RESP2                     PIC S9(8) COMP.
       01  WS-SHOWN                     PIC 9(3).
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X(30).
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN STARTCODE(WS-START) END-EXEC
           EVALUATE DFHCOMMAREA(1:4)
             WHEN 'keep'
               EXEC CICS WRITEQ TS QUEUE('RECQ') FROM(WS-ITEM) END-EXEC
             WHEN 'sync'
               EXEC CICS SYNCPOINT RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
               MOVE WS-RESP2 TO WS-SHOWN
               MOVE WS-SHOWN TO DFHCOMMAREA(9:3)
             WHEN OTHER
               EXEC CICS READQ TS QUEUE('RECQ') INTO(WS-ITEM) ITEM(1)
                    NUMITEMS(WS-ITEMS) RESP(WS-RESP)
               END-EXEC
           END-EVALUATE
           MOVE WS-ITEMS TO WS-SHOWN
           MOVE WS-START TO DFHCOMMAREA(6:2)
           MOVE WS-SHOWN TO DFHCOMMAREA(13:3)
           EXEC CICS RETURN END-EXEC.
