
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GOODS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-METHOD                   PIC X(8).
       01  WS-PATH                     PIC X(20).
       01  WS-ID                       PIC X(6).
       01  WS-QUERY                    PIC X(10).
       01  WS-TEXT                     PIC X(40).
       01  WS-RESP                     PIC S9(8) COMP.
       01  GOODS-RECORD.
           05  ITEM                    PIC X(6).
           05  STOCK                   PIC 9(3).
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('DFHHTTPMETHOD') INTO(WS-METHOD)
               END-EXEC
           EXEC CICS GET CONTAINER('DFHWS-URIMAPPATH') INTO(WS-PATH)
               END-EXEC
           IF WS-PATH NOT = '/goods/*'
               EXEC CICS ABEND ABCODE('PATH') END-EXEC
           END-IF
           MOVE SPACES TO WS-ID WS-QUERY
           EXEC CICS GET CONTAINER('DFHWS-URI-RESID') INTO(WS-ID)
               RESP(WS-RESP) END-EXEC
           EXEC CICS GET CONTAINER('DFHWS-URI-QUERY') INTO(WS-QUERY)
               RESP(WS-RESP) END-EXEC
           EVALUATE WS-METHOD
               WHEN 'GET'
               WHEN 'HEAD'
                   MOVE SPACES TO ITEM
                   STRING WS-ID DELIMITED BY SPACE ' ' WS-QUERY(6:2)
                       DELIMITED BY SIZE INTO ITEM
                   MOVE 7 TO STOCK
                   EXEC CICS PUT CONTAINER('DFHWS-DATA')
                       FROM(GOODS-RECORD) END-EXEC
               WHEN 'POST'
                   EXEC CICS GET CONTAINER('DFHWS-DATA')
                       INTO(GOODS-RECORD) END-EXEC
                   MOVE SPACES TO WS-TEXT
                   STRING '{"made":"' ITEM STOCK '"}'
                       DELIMITED BY SIZE INTO WS-TEXT
                   EXEC CICS PUT CONTAINER('DFHRESPONSE') CHAR
                       FROM(WS-TEXT) FLENGTH(20) END-EXEC
                   EXEC CICS PUT CONTAINER('DFHHTTPSTATUS') CHAR
                       FROM('201 Created') END-EXEC
               WHEN 'PUT'
                   EXEC CICS GET CONTAINER('DFHWS-DATA')
                       INTO(GOODS-RECORD) END-EXEC
               WHEN 'DELETE'
                   EXEC CICS PUT CONTAINER('DFHHTTPSTATUS') CHAR
                       FROM('HTTP/1.1 404 Not Found') END-EXEC
                   EXEC CICS PUT CONTAINER('DFHMEDIATYPE') CHAR
                       FROM('text/plain') END-EXEC
                   EXEC CICS PUT CONTAINER('DFHRESPONSE') CHAR
                       FROM('no such goods') END-EXEC
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
