      * Orders of a server that is none of ours, by the copybooks that
      * are made of its description. What it heard is in the queue
      * ORDC.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ORDC.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-CHANNEL                  PIC X(16) VALUE 'ORDC'.
       01  WS-DATA                     PIC X(16) VALUE 'DFHWS-DATA'.
       01  WS-OPERATION                PIC X(255) VALUE 'place'.
       01  WS-ITEM                     PIC X(3) VALUE SPACES.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-LENGTH                   PIC S9(8) COMP.
       COPY place-request.
       COPY place-response.
       01  WS-LINE.
           05  WS-LINE-RESP            PIC ZZ9.
           05  WS-LINE-RESP2           PIC ZZZ9.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-LINE-TOTAL           PIC Z(5)9.99-.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-LINE-LINES           PIC Z9.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-LINE-TEXT            PIC X(60) VALUE SPACES.
       01  WS-FAULT                    PIC X(400) VALUE SPACES.
       01  WS-SKIPPED                  PIC X(400).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-ITEM) NOHANDLE END-EXEC
           MOVE 'Meier & Sons' TO customer OF place-REQUEST
           MOVE 2 TO XLine-num
           MOVE 'NAIL' TO item(1)
           MOVE 40 TO quantity(1)
           MOVE WS-ITEM TO item(2)
           MOVE 3 TO quantity(2)
           EXEC CICS PUT CONTAINER(WS-DATA) CHANNEL(WS-CHANNEL)
               FROM(place-REQUEST)
               FLENGTH(LENGTH OF place-REQUEST) END-EXEC
           EXEC CICS INVOKE SERVICE('ORDERS') CHANNEL(WS-CHANNEL)
               OPERATION(WS-OPERATION)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE WS-RESP TO WS-LINE-RESP
           MOVE WS-RESP2 TO WS-LINE-RESP2
           MOVE 0 TO WS-LINE-TOTAL WS-LINE-LINES
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE LENGTH OF placeResponse-RESPONSE TO WS-LENGTH
               EXEC CICS GET CONTAINER(WS-DATA) CHANNEL(WS-CHANNEL)
                   INTO(placeResponse-RESPONSE)
                   FLENGTH(WS-LENGTH) END-EXEC
               MOVE total TO WS-LINE-TOTAL
               MOVE articles OF placeResponse-RESPONSE
                   TO WS-LINE-LINES
               MOVE customer OF placeResponse-RESPONSE
                   TO WS-LINE-TEXT
           ELSE
               MOVE 400 TO WS-LENGTH
               EXEC CICS GET CONTAINER('DFHWS-BODY')
                   CHANNEL(WS-CHANNEL) INTO(WS-FAULT)
                   FLENGTH(WS-LENGTH) NOHANDLE END-EXEC
               UNSTRING WS-FAULT
                   DELIMITED BY '<faultstring>' OR '</faultstring>'
                   INTO WS-SKIPPED WS-LINE-TEXT
           END-IF
           EXEC CICS WRITEQ TS QUEUE('ORDC') FROM(WS-LINE)
               LENGTH(LENGTH OF WS-LINE) END-EXEC
           EXEC CICS RETURN END-EXEC.
