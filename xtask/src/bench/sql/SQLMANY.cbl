       IDENTIFICATION DIVISION.
       PROGRAM-ID. SQLMANY.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SQLWS.
       01  WS-J                        PIC S9(9) COMP-5.
       01  WS-STATUS                   PIC S9(8) COMP.
       01  WS-CHILDREN.
           05  WS-CHILD                PIC X(16) OCCURS 32.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  OUT-EACH                PIC 9(9).
       PROCEDURE DIVISION.
      *    The first round connects the sessions.
           PERFORM CHILDREN
           PERFORM LOOK
           MOVE WS-NOW TO WS-BEGAN
           PERFORM CHILDREN
           PERFORM LOOK
           COMPUTE OUT-EACH = (WS-NOW - WS-BEGAN) / (32 * 200)
           EXEC CICS RETURN END-EXEC.
       CHILDREN.
           PERFORM VARYING WS-J FROM 1 BY 1 UNTIL WS-J > 32
               EXEC CICS RUN TRANSID('SQLC')
                   CHILD(WS-CHILD (WS-J)) END-EXEC
           END-PERFORM
           PERFORM VARYING WS-J FROM 1 BY 1 UNTIL WS-J > 32
               EXEC CICS FETCH CHILD(WS-CHILD (WS-J))
                   COMPSTATUS(WS-STATUS) END-EXEC
               IF WS-STATUS NOT = DFHVALUE(NORMAL)
                   EXEC CICS ABEND ABCODE('BAD ') END-EXEC
               END-IF
               EXEC CICS FREE CHILD(WS-CHILD (WS-J)) END-EXEC
           END-PERFORM.
       COPY CLOCK.
