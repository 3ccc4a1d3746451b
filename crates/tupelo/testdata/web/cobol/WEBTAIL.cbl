      * Answers with a trailer of the request, and how long its body was.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBTAIL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-BODY                     PIC X(100).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-LENGTH-N                 PIC 999.
       01  WS-VALUE                    PIC X(10).
       01  WS-VALUE-L                  PIC S9(8) COMP VALUE 10.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP-N                   PIC 999.
       01  WS-ANSWER                   PIC X(18).
       PROCEDURE DIVISION.
           EXEC CICS WEB RECEIVE INTO(WS-BODY) LENGTH(WS-LENGTH)
               MAXLENGTH(100) END-EXEC
           MOVE WS-LENGTH TO WS-LENGTH-N
           MOVE SPACES TO WS-VALUE
           EXEC CICS WEB READ HTTPHEADER('X-Sum') NAMELENGTH(5)
               VALUE(WS-VALUE) VALUELENGTH(WS-VALUE-L)
               RESP(WS-RESP) END-EXEC
           MOVE WS-RESP TO WS-RESP-N
           STRING WS-LENGTH-N ' ' WS-RESP-N ' ' WS-VALUE
               DELIMITED BY SIZE INTO WS-ANSWER
           EXEC CICS WEB SEND FROM(WS-ANSWER) FROMLENGTH(18)
               MEDIATYPE('text/plain') END-EXEC
           EXEC CICS RETURN END-EXEC.
