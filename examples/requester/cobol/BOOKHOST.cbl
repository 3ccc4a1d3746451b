      *> Adds a book by the host API, and reads it back.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BOOKHOST.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY BAQHAREC.
       COPY BAQHCONC.
       COPY BOK00I01.
       COPY BOK00Q01.
       COPY BOK01I01.
       COPY BOK01Q01.
       01  WS-INFO            POINTER.
       01  WS-AREA            PIC X(16).
       01  WS-ELEMENT         POINTER.
       01  WS-LENGTH          PIC 9(9) COMP-5.
       01  WS-INDEX           PIC 9(4) COMP-5.
       01  WS-PRICE           PIC Z(6)9.99.
       01  WS-CODE            PIC ZZ9.
       LINKAGE SECTION.
       COPY BOK00P01.
       COPY BOK01P01.
       PROCEDURE DIVISION.
       MAIN SECTION.
           CALL BAQ-INIT-NAME USING BAQ-ZCONNECT-AREA
           PERFORM ADD-BOOK
           PERFORM READ-BOOK
           CALL BAQ-FREE-NAME USING BAQ-ZCONNECT-AREA
           CALL BAQ-TERM-NAME USING BAQ-ZCONNECT-AREA
           EXEC CICS RETURN END-EXEC.

       ADD-BOOK SECTION.
           INITIALIZE BAQBASE-BOK00Q01
           MOVE '9780131103627' TO isbn OF BAQBASE-BOK00Q01
           MOVE 13 TO isbn-length OF BAQBASE-BOK00Q01
           MOVE 'The C Programming Language'
             TO bookName OF BAQBASE-BOK00Q01
           MOVE 26 TO bookName-length OF BAQBASE-BOK00Q01
           MOVE 54.90 TO price OF BAQBASE-BOK00Q01
           MOVE 1 TO pages-existence OF BAQBASE-BOK00Q01
           MOVE 272 TO pages OF BAQBASE-BOK00Q01
           MOVE 'WRITERS' TO writers-dataarea OF BAQBASE-BOK00Q01
           MOVE 2 TO writers-num OF BAQBASE-BOK00Q01
           MOVE 'Brian Kernighan' TO writerName OF BOK00Q01-writers
           MOVE 15 TO writerName-length OF BOK00Q01-writers
           PERFORM PUT-WRITER
           MOVE 'Dennis Ritchie' TO writerName OF BOK00Q01-writers
           MOVE 14 TO writerName-length OF BOK00Q01-writers
           PERFORM PUT-WRITER
           SET BAQ-REQ-BASE-ADDRESS TO ADDRESS OF BAQBASE-BOK00Q01
           MOVE LENGTH OF BAQBASE-BOK00Q01 TO BAQ-REQ-BASE-LENGTH
           SET WS-INFO TO ADDRESS OF BAQ-API-INFO-BOK00I01
           PERFORM CALL-API
           IF BAQ-SUCCESS
              SET ADDRESS OF BAQBASE-BOK00P01 TO BAQ-RESP-BASE-ADDRESS
              IF responseCode201-existence OF BAQBASE-BOK00P01 > 0
                 MOVE responseCode201-dataarea OF BAQBASE-BOK00P01
                   TO WS-AREA
                 PERFORM GET-ELEMENT
                 SET ADDRESS OF BOK00P01-responseCode201
                   TO WS-ELEMENT
                 DISPLAY 'ADDED ' isbn OF BOK00P01-responseCode201
                    ' SHELF ' shelf OF BOK00P01-responseCode201
                    (1:shelf-length OF BOK00P01-responseCode201)
              END-IF
              IF responseCode409-existence OF BAQBASE-BOK00P01 > 0
                 DISPLAY 'THE BOOK IS THERE ALREADY'
              END-IF
           END-IF.

       PUT-WRITER SECTION.
           SET WS-ELEMENT TO ADDRESS OF BOK00Q01-writers
           MOVE LENGTH OF BOK00Q01-writers TO WS-LENGTH
           MOVE writers-dataarea OF BAQBASE-BOK00Q01 TO WS-AREA
           CALL BAQ-PUTN-NAME USING BAQ-ZCONNECT-AREA WS-AREA
                WS-ELEMENT WS-LENGTH
           PERFORM TELL-ERROR.

       READ-BOOK SECTION.
           INITIALIZE BAQBASE-BOK01Q01
           MOVE '9780131103627' TO isbn OF BAQBASE-BOK01Q01
           MOVE 13 TO isbn-length OF BAQBASE-BOK01Q01
           SET BAQ-REQ-BASE-ADDRESS TO ADDRESS OF BAQBASE-BOK01Q01
           MOVE LENGTH OF BAQBASE-BOK01Q01 TO BAQ-REQ-BASE-LENGTH
           SET WS-INFO TO ADDRESS OF BAQ-API-INFO-BOK01I01
           PERFORM CALL-API
           IF BAQ-SUCCESS
              SET ADDRESS OF BAQBASE-BOK01P01 TO BAQ-RESP-BASE-ADDRESS
              IF responseCode200-existence OF BAQBASE-BOK01P01 > 0
                 PERFORM SHOW-BOOK
              END-IF
           END-IF.

       SHOW-BOOK SECTION.
           MOVE responseCode200-dataarea OF BAQBASE-BOK01P01 TO WS-AREA
           PERFORM GET-ELEMENT
           SET ADDRESS OF BOK01P01-responseCode200 TO WS-ELEMENT
           MOVE price OF BOK01P01-responseCode200 TO WS-PRICE
           DISPLAY 'BOOK ' bookName OF BOK01P01-responseCode200
              (1:bookName-length OF BOK01P01-responseCode200)
              ' PRICE ' FUNCTION TRIM(WS-PRICE)
           MOVE writers-dataarea OF BOK01P01-responseCode200 TO WS-AREA
           PERFORM VARYING WS-INDEX FROM 1 BY 1 UNTIL WS-INDEX >
                 writers-num OF BOK01P01-responseCode200
              PERFORM GET-ELEMENT
              SET ADDRESS OF BOK01P01-writers TO WS-ELEMENT
              DISPLAY 'WRITER ' writerName OF BOK01P01-writers
                 (1:writerName-length OF BOK01P01-writers)
           END-PERFORM.

       GET-ELEMENT SECTION.
           CALL BAQ-GETN-NAME USING BAQ-ZCONNECT-AREA WS-AREA
                WS-ELEMENT WS-LENGTH
           PERFORM TELL-ERROR.

       CALL-API SECTION.
           CALL BAQ-EXEC-NAME USING BY REFERENCE BAQ-ZCONNECT-AREA
                BY VALUE WS-INFO
                BY REFERENCE BAQ-REQUEST-AREA
                BY REFERENCE BAQ-RESPONSE-AREA
           IF BAQ-WARNING
              MOVE BAQ-RESP-STATUS-CODE TO WS-CODE
              DISPLAY 'STATUS ' WS-CODE ': '
                 BAQ-RESP-STATUS-MESSAGE
                 (1:BAQ-RESP-STATUS-MESSAGE-LEN)
           END-IF
           PERFORM TELL-ERROR.

       TELL-ERROR SECTION.
           IF BAQ-ERROR OR BAQ-SEVERE
              MOVE BAQ-ZCON-REASON-CODE TO WS-CODE
              DISPLAY 'REASON ' WS-CODE ': '
                 BAQ-ZCON-RETURN-MESSAGE
                 (1:BAQ-ZCON-RETURN-MESSAGE-LEN)
           END-IF.
