      * Does what each character of the COMMAREA says, from the third on, with
      * the item in the last eight: I inserts, U adds one, Q asks, W writes a
      * queue, S is SYNCPOINT, R rolls back, A abends, E is a wrong statement,
      * P waits for the operator. What came is put into the area.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STOCK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ITEM                     PIC X(8).
       01  WS-COUNTED                  PIC S9(7) COMP-3.
       01  WS-SHOWN                    PIC -(7)9.
       01  WS-AT                       PIC S9(4) COMP.
       01  WS-TEXT                     PIC X(8).
       01  WS-REPLY                    PIC X(8).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY STOCKCA.
       PROCEDURE DIVISION.
           MOVE CA-ITEM TO WS-ITEM
           PERFORM ONE-STEP VARYING WS-AT FROM 1 BY 1 UNTIL WS-AT > 12
           EXEC CICS RETURN END-EXEC.
       ONE-STEP.
           MOVE SPACES TO WS-TEXT
           EVALUATE CA-STEPS(WS-AT:1)
               WHEN 'I'
                   EXEC SQL INSERT INTO STOCK (ITEM, COUNTED)
                       VALUES (:WS-ITEM, 1) END-EXEC
                   PERFORM SHOW-CODE
               WHEN 'U'
                   EXEC SQL UPDATE STOCK SET COUNTED = COUNTED + 1
                       WHERE ITEM = :WS-ITEM END-EXEC
                   PERFORM SHOW-CODE
               WHEN 'Q'
                   EXEC SQL SELECT COUNTED INTO :WS-COUNTED FROM STOCK
                       WHERE ITEM = :WS-ITEM END-EXEC
                   IF SQLCODE = 0
                       MOVE WS-COUNTED TO WS-SHOWN
                       MOVE WS-SHOWN TO WS-TEXT
                   ELSE
                       PERFORM SHOW-CODE
                   END-IF
               WHEN 'E'
                   EXEC SQL UPDATE NOTHERE SET A = 1 END-EXEC
                   PERFORM SHOW-CODE
               WHEN 'W'
                   EXEC CICS WRITEQ TS QNAME('LOG') FROM(WS-ITEM)
                       END-EXEC
               WHEN 'S'
                   EXEC CICS SYNCPOINT END-EXEC
               WHEN 'R'
                   EXEC CICS SYNCPOINT ROLLBACK END-EXEC
               WHEN 'L'
                   EXEC CICS READQ TS QNAME('LOG') INTO(WS-TEXT)
                       NOHANDLE END-EXEC
               WHEN 'P'
                   EXEC CICS WRITE OPERATOR TEXT('GO ON') MAXLENGTH(8)
                       REPLY(WS-REPLY) END-EXEC
               WHEN 'A'
                   EXEC CICS ABEND ABCODE('SHOP') END-EXEC
               WHEN OTHER
                   CONTINUE
           END-EVALUATE
           MOVE WS-TEXT TO CA-RESULT(WS-AT).
       SHOW-CODE.
           MOVE SQLCODE TO WS-SHOWN
           MOVE WS-SHOWN TO WS-TEXT.
