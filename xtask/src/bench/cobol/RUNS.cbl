       IDENTIFICATION DIVISION.
       PROGRAM-ID. RUNS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY CLOCKWS.
       01  WS-I                        PIC S9(9) COMP-5.
       01  WS-J                        PIC S9(9) COMP-5.
       01  WS-TRANSID                  PIC X(4).
       01  WS-PROGRAM                  PIC X(8).
       01  WS-STATUS                   PIC S9(8) COMP.
       01  WS-CHILDREN.
           05  WS-CHILD                PIC X(16) OCCURS 5.
       01  WS-RAN                      PIC S9(18) COMP-5.
       01  WS-LINKED                   PIC S9(18) COMP-5.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  OUT-RUNS                PIC 9(9).
           05  OUT-LINKS               PIC 9(9).
           05  OUT-WAITS               PIC 9(9).
           05  OUT-WAITED              PIC 9(9).
       PROCEDURE DIVISION.
           MOVE 'EMPT' TO WS-TRANSID
           MOVE 'EMPTY' TO WS-PROGRAM
           PERFORM BOTH
           MOVE WS-RAN TO OUT-RUNS
           MOVE WS-LINKED TO OUT-LINKS
           MOVE 'WAIT' TO WS-TRANSID
           MOVE 'WAITS' TO WS-PROGRAM
           PERFORM BOTH
           MOVE WS-RAN TO OUT-WAITS
           MOVE WS-LINKED TO OUT-WAITED
           EXEC CICS RETURN END-EXEC.
       BOTH.
           PERFORM CHILDREN
           PERFORM LOOK
           MOVE WS-NOW TO WS-BEGAN
           PERFORM CHILDREN 100 TIMES
           PERFORM LOOK
           COMPUTE WS-RAN = (WS-NOW - WS-BEGAN) / 100
           PERFORM LOOK
           MOVE WS-NOW TO WS-BEGAN
           PERFORM 100 TIMES
               PERFORM 5 TIMES
                   EXEC CICS LINK PROGRAM(WS-PROGRAM) END-EXEC
               END-PERFORM
           END-PERFORM
           PERFORM LOOK
           COMPUTE WS-LINKED = (WS-NOW - WS-BEGAN) / 100.
       CHILDREN.
           PERFORM VARYING WS-J FROM 1 BY 1 UNTIL WS-J > 5
               EXEC CICS RUN TRANSID(WS-TRANSID)
                   CHILD(WS-CHILD (WS-J)) END-EXEC
           END-PERFORM
           PERFORM VARYING WS-J FROM 1 BY 1 UNTIL WS-J > 5
               EXEC CICS FETCH CHILD(WS-CHILD (WS-J))
                   COMPSTATUS(WS-STATUS) END-EXEC
               IF WS-STATUS NOT = DFHVALUE(NORMAL)
                   EXEC CICS ABEND ABCODE('BAD ') END-EXEC
               END-IF
               EXEC CICS FREE CHILD(WS-CHILD (WS-J)) END-EXEC
           END-PERFORM.
       COPY CLOCK.
