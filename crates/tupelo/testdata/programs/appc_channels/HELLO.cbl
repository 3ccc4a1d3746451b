       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TEXT                      PIC X(8) VALUE 'abcdefgh'.
       01  WS-BYTES                     PIC X(4) VALUE X'0001FEFF'.
       01  WS-BIG                       PIC X(1048576) VALUE ALL 'x'.
       01  WS-COUNT                     PIC S9(8) COMP.
       01  WS-LENGTH                    PIC S9(8) COMP.
       01  WS-CCSID                     PIC S9(8) COMP.
       01  WS-TIMES                     PIC S9(8) COMP.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-RESP2                     PIC S9(8) COMP.
       01  WS-GET                       PIC S9(8) COMP.
       01  WS-SHOWN                     PIC 9(4).
       01  WS-SHOWN2                    PIC 9(2).
       01  WS-PROGRAM                   PIC X(8) VALUE 'FAR'.
       01  WS-BACK                      PIC X(16).
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           EXEC CICS HANDLE ABEND LABEL(FAILED) END-EXEC
           EXEC CICS PUT CONTAINER('MODE') CHANNEL('CHAN')
                FROM(HELLO-NAME) FLENGTH(8) CHAR
           END-EXEC
           EXEC CICS PUT CONTAINER('TEXT') CHANNEL('CHAN')
                FROM(WS-TEXT) CHAR FROMCCSID(1140)
           END-EXEC
           EXEC CICS PUT CONTAINER('KEPT') CHANNEL('CHAN')
                FROM(WS-BYTES) BIT
           END-EXEC
           EXEC CICS PUT CONTAINER('GONE') CHANNEL('CHAN')
                FROM(WS-BYTES) BIT
           END-EXEC
           IF HELLO-NAME = 'many'
               PERFORM VARYING WS-TIMES FROM 1 BY 1 UNTIL WS-TIMES > 20
                   EXEC CICS PUT CONTAINER('BIG') CHANNEL('CHAN')
                        FROM(WS-BIG) APPEND
                   END-EXEC
               END-PERFORM
           END-IF
           IF HELLO-NAME = 'toomany'
               PERFORM VARYING WS-TIMES FROM 1 BY 1 UNTIL WS-TIMES > 64
                   EXEC CICS PUT CONTAINER('BIG') CHANNEL('CHAN')
                        FROM(WS-BIG) APPEND
                   END-EXEC
               END-PERFORM
           END-IF
           EVALUATE HELLO-NAME
             WHEN 'none'     MOVE 'NONE' TO WS-PROGRAM
             WHEN 'defined'  MOVE 'ALIAS' TO WS-PROGRAM
           END-EVALUATE
           IF HELLO-NAME = 'defined'
               EXEC CICS LINK PROGRAM(WS-PROGRAM) CHANNEL('CHAN')
                    RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           ELSE
               EXEC CICS LINK PROGRAM(WS-PROGRAM) SYSID('PEER')
                    CHANNEL('CHAN') SYNCONRETURN
                    RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           END-IF
           PERFORM EMIT
           EXEC CICS RETURN END-EXEC.
       FAILED.
           MOVE 9999 TO WS-RESP
           PERFORM EMIT
           EXEC CICS RETURN END-EXEC.
       EMIT.
           MOVE WS-RESP TO WS-SHOWN
           MOVE WS-RESP2 TO WS-SHOWN2
           EXEC CICS QUERY CHANNEL('CHAN') CONTAINERCNT(WS-COUNT)
           END-EXEC
           MOVE SPACES TO WS-BACK
           MOVE 8 TO WS-LENGTH
           EXEC CICS GET CONTAINER('TEXT') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) CCSID(WS-CCSID)
                RESP(WS-GET)
           END-EXEC
           MOVE SPACES TO HELLO-GREETING
           STRING WS-SHOWN '/' WS-SHOWN2 DELIMITED BY SIZE
               INTO HELLO-GREETING
           MOVE WS-CCSID TO WS-SHOWN
           MOVE WS-SHOWN TO HELLO-GREETING(9:4)
           MOVE WS-COUNT TO WS-SHOWN2
           MOVE WS-SHOWN2 TO HELLO-GREETING(14:2)
           MOVE 4 TO WS-LENGTH
           EXEC CICS GET CONTAINER('KEPT') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) RESP(WS-GET)
           END-EXEC
           IF WS-GET = 0 AND WS-BACK(1:4) = X'0001FEFF'
               MOVE 'K' TO HELLO-GREETING(17:1)
           END-IF
           EXEC CICS GET CONTAINER('MADE') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) RESP(WS-GET)
           END-EXEC
           IF WS-GET = 0 AND WS-BACK(1:4) = X'00FF0A41'
               MOVE 'M' TO HELLO-GREETING(18:1)
           END-IF
           EXEC CICS GET CONTAINER('GONE') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) RESP(WS-GET)
           END-EXEC
           IF WS-GET = DFHRESP(CONTAINERERR)
               MOVE 'G' TO HELLO-GREETING(19:1)
           END-IF
           MOVE 16 TO WS-LENGTH
           EXEC CICS GET CONTAINER('WHERE') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) RESP(WS-GET)
           END-EXEC
           IF WS-GET = 0 AND WS-BACK = 'CHAN'
               MOVE 'W' TO HELLO-GREETING(20:1)
           END-IF.
