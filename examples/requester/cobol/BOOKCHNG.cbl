      *> Changes a book by a merge patch, and removes it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BOOKCHNG.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY BAQHAREC.
       COPY BAQHCONC.
       COPY BOK03I01.
       COPY BOK03Q01.
       COPY BOK02I01.
       COPY BOK02Q01.
       01  WS-INFO            POINTER.
       01  WS-AREA            PIC X(16).
       01  WS-ELEMENT         POINTER.
       01  WS-LENGTH          PIC 9(9) COMP-5.
       01  WS-PRICE           PIC Z(6)9.99.
       01  WS-CODE            PIC ZZ9.
       LINKAGE SECTION.
       COPY BOK03P01.
       PROCEDURE DIVISION.
       MAIN SECTION.
           CALL BAQ-INIT-NAME USING BAQ-ZCONNECT-AREA
           PERFORM CHANGE-BOOK
           PERFORM REMOVE-BOOK
           CALL BAQ-FREE-NAME USING BAQ-ZCONNECT-AREA
           CALL BAQ-TERM-NAME USING BAQ-ZCONNECT-AREA
           EXEC CICS RETURN END-EXEC.

       CHANGE-BOOK SECTION.
      *    A new price, one writer, no pages; all else stays.
           INITIALIZE BAQBASE-BOK03Q01
           MOVE '9780131103627' TO isbn OF BAQBASE-BOK03Q01
           MOVE 13 TO isbn-length OF BAQBASE-BOK03Q01
           MOVE 'U' TO price-patch-operation OF BAQBASE-BOK03Q01
           MOVE 39.90 TO price OF BAQBASE-BOK03Q01
           MOVE 'D' TO pages-patch-operation OF BAQBASE-BOK03Q01
           MOVE 'U' TO writers-patch-operation OF BAQBASE-BOK03Q01
           MOVE 'WRITERS' TO writers-dataarea OF BAQBASE-BOK03Q01
           MOVE 1 TO writers-num OF BAQBASE-BOK03Q01
           MOVE 'Dennis Ritchie' TO writerName OF BOK03Q01-writers
           MOVE 14 TO writerName-length OF BOK03Q01-writers
           SET WS-ELEMENT TO ADDRESS OF BOK03Q01-writers
           MOVE LENGTH OF BOK03Q01-writers TO WS-LENGTH
           MOVE writers-dataarea OF BAQBASE-BOK03Q01 TO WS-AREA
           CALL BAQ-PUTN-NAME USING BAQ-ZCONNECT-AREA WS-AREA
                WS-ELEMENT WS-LENGTH
           PERFORM TELL-ERROR
           SET BAQ-REQ-BASE-ADDRESS TO ADDRESS OF BAQBASE-BOK03Q01
           MOVE LENGTH OF BAQBASE-BOK03Q01 TO BAQ-REQ-BASE-LENGTH
           SET WS-INFO TO ADDRESS OF BAQ-API-INFO-BOK03I01
           PERFORM CALL-API
           IF BAQ-SUCCESS AND BAQ-RESP-STATUS-CODE = 200
              SET ADDRESS OF BAQBASE-BOK03P01 TO BAQ-RESP-BASE-ADDRESS
              MOVE responseCode200-dataarea OF BAQBASE-BOK03P01
                TO WS-AREA
              CALL BAQ-GETN-NAME USING BAQ-ZCONNECT-AREA WS-AREA
                   WS-ELEMENT WS-LENGTH
              PERFORM TELL-ERROR
              SET ADDRESS OF BOK03P01-responseCode200 TO WS-ELEMENT
              MOVE price OF BOK03P01-responseCode200 TO WS-PRICE
              DISPLAY 'PRICE ' FUNCTION TRIM(WS-PRICE) ' PAGES '
                 pages-existence OF BOK03P01-responseCode200
           END-IF.

       REMOVE-BOOK SECTION.
      *    The answer has no body, so there is no structure for it.
           INITIALIZE BAQBASE-BOK02Q01
           MOVE '9780131103627' TO isbn OF BAQBASE-BOK02Q01
           MOVE 13 TO isbn-length OF BAQBASE-BOK02Q01
           SET BAQ-REQ-BASE-ADDRESS TO ADDRESS OF BAQBASE-BOK02Q01
           MOVE LENGTH OF BAQBASE-BOK02Q01 TO BAQ-REQ-BASE-LENGTH
           SET WS-INFO TO ADDRESS OF BAQ-API-INFO-BOK02I01
           PERFORM CALL-API
           IF BAQ-SUCCESS
              MOVE BAQ-RESP-STATUS-CODE TO WS-CODE
              DISPLAY 'REMOVED ' WS-CODE
           END-IF.

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
