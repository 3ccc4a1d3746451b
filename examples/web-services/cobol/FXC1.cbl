      * The client by web services: asks the service of its own region
      * and leaves what it heard in the queue FXC1.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FXC1.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-CHANNEL                  PIC X(16) VALUE 'FXC1'.
       01  WS-DATA                     PIC X(16) VALUE 'DFHWS-DATA'.
       01  WS-OPERATION                PIC X(255) VALUE 'fxQuote'.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-FROM                     PIC X(3) VALUE 'USD'.
       COPY FXASKQ.
       COPY FXASKR.
       01  WS-LINE.
           05  WS-LINE-RESP            PIC ZZ9.
           05  WS-LINE-RESP2           PIC ZZZ9.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-LINE-RESULT          PIC Z(7)9.99-.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-LINE-REMARK          PIC X(60).
       01  WS-FAULT                    PIC X(400).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-FROM) NOHANDLE END-EXEC
           MOVE 100 TO FX-AMOUNT OF FX-QUESTION
           MOVE WS-FROM TO FX-FROM OF FX-QUESTION
           MOVE 'EUR' TO FX-TO OF FX-QUESTION
           MOVE 0 TO FX-RATE OF FX-QUESTION
               FX-RESULT OF FX-QUESTION
           MOVE SPACES TO FX-REMARK OF FX-QUESTION
           EXEC CICS PUT CONTAINER(WS-DATA) CHANNEL(WS-CHANNEL)
               FROM(FX-QUESTION)
               FLENGTH(LENGTH OF FX-QUESTION) END-EXEC
           EXEC CICS INVOKE SERVICE('FXASK') CHANNEL(WS-CHANNEL)
               OPERATION(WS-OPERATION) URIMAP('FXOUT')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE WS-RESP TO WS-LINE-RESP
           MOVE WS-RESP2 TO WS-LINE-RESP2
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE LENGTH OF FX-ANSWER TO WS-LENGTH
               EXEC CICS GET CONTAINER(WS-DATA) CHANNEL(WS-CHANNEL)
                   INTO(FX-ANSWER) FLENGTH(WS-LENGTH) END-EXEC
               MOVE FX-RESULT OF FX-ANSWER TO WS-LINE-RESULT
               MOVE FX-REMARK OF FX-ANSWER TO WS-LINE-REMARK
           ELSE
               MOVE SPACES TO WS-FAULT
               MOVE 400 TO WS-LENGTH
               EXEC CICS GET CONTAINER('DFHWS-BODY')
                   CHANNEL(WS-CHANNEL) INTO(WS-FAULT)
                   FLENGTH(WS-LENGTH) NOHANDLE END-EXEC
               IF EIBRESP NOT = DFHRESP(NORMAL)
                   MOVE 400 TO WS-LENGTH
                   EXEC CICS GET CONTAINER('DFHERROR')
                       CHANNEL(WS-CHANNEL) INTO(WS-FAULT)
                       FLENGTH(WS-LENGTH) NOHANDLE END-EXEC
               END-IF
               MOVE 0 TO WS-LINE-RESULT
               MOVE WS-FAULT TO WS-LINE-REMARK
           END-IF
           EXEC CICS WRITEQ TS QUEUE('FXC1') FROM(WS-LINE)
               LENGTH(LENGTH OF WS-LINE) END-EXEC
           EXEC CICS RETURN END-EXEC.
