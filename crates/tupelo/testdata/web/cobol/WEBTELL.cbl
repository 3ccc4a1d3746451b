      * Tells what it can find out about the request, a line each.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBTELL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TEXT                     PIC X(4000) VALUE SPACES.
       01  WS-AT                       PIC S9(8) COMP VALUE 1.
       01  WS-METHOD                   PIC X(10) VALUE SPACES.
       01  WS-METHOD-L                 PIC S9(8) COMP VALUE 10.
       01  WS-VERSION                  PIC X(8) VALUE SPACES.
       01  WS-VERSION-L                PIC S9(8) COMP VALUE 8.
       01  WS-PATH                     PIC X(60) VALUE SPACES.
       01  WS-PATH-L                   PIC S9(8) COMP VALUE 60.
       01  WS-QUERY                    PIC X(60) VALUE SPACES.
       01  WS-QUERY-L                  PIC S9(8) COMP VALUE 60.
       01  WS-HOST                     PIC X(60) VALUE SPACES.
       01  WS-HOST-L                   PIC S9(8) COMP VALUE 60.
       01  WS-SCHEME                   PIC S9(8) COMP.
       01  WS-MAP                      PIC X(8).
       01  WS-NAME                     PIC X(40).
       01  WS-NAME-L                   PIC S9(8) COMP.
       01  WS-VALUE                    PIC X(80).
       01  WS-VALUE-L                  PIC S9(8) COMP.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-N                        PIC ZZ9.
       01  WS-N2                       PIC ZZ9.
       01  WS-COUNT                    PIC S9(8) COMP VALUE 0.
       01  WS-SERVICE                  PIC X(8).
       01  WS-CLIENT                   PIC X(40) VALUE SPACES.
       01  WS-CLIENT-L                 PIC S9(8) COMP VALUE 40.
       01  WS-NL                       PIC X VALUE X'0A'.
       PROCEDURE DIVISION.
           EXEC CICS WEB EXTRACT HTTPMETHOD(WS-METHOD)
               METHODLENGTH(WS-METHOD-L) HTTPVERSION(WS-VERSION)
               VERSIONLEN(WS-VERSION-L) PATH(WS-PATH)
               PATHLENGTH(WS-PATH-L) QUERYSTRING(WS-QUERY)
               QUERYSTRLEN(WS-QUERY-L) HOST(WS-HOST)
               HOSTLENGTH(WS-HOST-L) SCHEME(WS-SCHEME)
               URIMAP(WS-MAP) END-EXEC
           STRING WS-METHOD(1:WS-METHOD-L) ' ' WS-PATH(1:WS-PATH-L)
               ' [' WS-QUERY(1:WS-QUERY-L) '] ' WS-VERSION ' '
               WS-HOST(1:WS-HOST-L) ' ' WS-MAP WS-NL
               DELIMITED BY SIZE INTO WS-TEXT POINTER WS-AT
           IF WS-SCHEME = DFHVALUE(HTTP)
               STRING 'HTTP' WS-NL DELIMITED BY SIZE
                   INTO WS-TEXT POINTER WS-AT
           END-IF
           MOVE SPACES TO WS-VALUE MOVE 80 TO WS-VALUE-L
           EXEC CICS WEB READ HTTPHEADER('X-Test') NAMELENGTH(6)
               VALUE(WS-VALUE) VALUELENGTH(WS-VALUE-L)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE 'X-Test' TO WS-NAME PERFORM SHOW
           MOVE SPACES TO WS-VALUE MOVE 3 TO WS-VALUE-L
           EXEC CICS WEB READ HTTPHEADER('X-Test') NAMELENGTH(6)
               VALUE(WS-VALUE) VALUELENGTH(WS-VALUE-L)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE 'cut' TO WS-NAME PERFORM SHOW
           MOVE SPACES TO WS-VALUE MOVE 80 TO WS-VALUE-L
           EXEC CICS WEB READ HTTPHEADER('X-None') NAMELENGTH(6)
               VALUE(WS-VALUE) VALUELENGTH(WS-VALUE-L)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE 'X-None' TO WS-NAME PERFORM SHOW
           MOVE 0 TO WS-VALUE-L
           EXEC CICS WEB READ QUERYPARM('a') NAMELENGTH(1)
               VALUE(WS-VALUE) VALUELENGTH(WS-VALUE-L)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE 0 TO WS-VALUE-L
           MOVE 'length 0' TO WS-NAME PERFORM SHOW
           EXEC CICS WEB READNEXT QUERYPARM(WS-NAME)
               NAMELENGTH(WS-NAME-L) VALUE(WS-VALUE)
               VALUELENGTH(WS-VALUE-L)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE 0 TO WS-VALUE-L
           MOVE 'no browse' TO WS-NAME PERFORM SHOW
           EXEC CICS WEB STARTBROWSE QUERYPARM END-EXEC
           PERFORM WITH TEST AFTER UNTIL WS-RESP NOT = 0
               MOVE SPACES TO WS-NAME WS-VALUE
               MOVE 40 TO WS-NAME-L MOVE 80 TO WS-VALUE-L
               EXEC CICS WEB READNEXT QUERYPARM(WS-NAME)
                   NAMELENGTH(WS-NAME-L) VALUE(WS-VALUE)
                   VALUELENGTH(WS-VALUE-L)
                   RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               IF WS-RESP NOT = 0
                   MOVE 'end' TO WS-NAME MOVE 0 TO WS-VALUE-L
               END-IF
               PERFORM SHOW
           END-PERFORM
           EXEC CICS WEB ENDBROWSE QUERYPARM END-EXEC
           EXEC CICS WEB STARTBROWSE HTTPHEADER END-EXEC
           EXEC CICS WEB STARTBROWSE HTTPHEADER
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE 'browse again' TO WS-NAME MOVE 0 TO WS-VALUE-L
           PERFORM SHOW
           PERFORM WITH TEST AFTER UNTIL WS-RESP NOT = 0
               MOVE 40 TO WS-NAME-L MOVE 80 TO WS-VALUE-L
               EXEC CICS WEB READNEXT HTTPHEADER(WS-NAME)
                   NAMELENGTH(WS-NAME-L) VALUE(WS-VALUE)
                   VALUELENGTH(WS-VALUE-L)
                   RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               IF WS-RESP = 0 ADD 1 TO WS-COUNT END-IF
           END-PERFORM
           EXEC CICS WEB ENDBROWSE HTTPHEADER END-EXEC
           MOVE WS-COUNT TO WS-N
           STRING 'headers ' WS-N WS-NL DELIMITED BY SIZE
               INTO WS-TEXT POINTER WS-AT
           EXEC CICS EXTRACT TCPIP TCPIPSERVICE(WS-SERVICE)
               CLIENTADDR(WS-CLIENT) CADDRLENGTH(WS-CLIENT-L)
               END-EXEC
           STRING WS-SERVICE WS-CLIENT(1:WS-CLIENT-L) WS-NL
               DELIMITED BY SIZE INTO WS-TEXT POINTER WS-AT
           EXEC CICS WEB WRITE HTTPHEADER('X-Answer') NAMELENGTH(8)
               VALUE('yes') VALUELENGTH(3) END-EXEC
           SUBTRACT 1 FROM WS-AT
           EXEC CICS WEB SEND FROM(WS-TEXT) FROMLENGTH(WS-AT)
               MEDIATYPE('text/plain') STATUSCODE(201)
               STATUSTEXT('Done') STATUSLEN(4) END-EXEC
           EXEC CICS RETURN END-EXEC.
       SHOW.
           MOVE WS-RESP TO WS-N MOVE WS-RESP2 TO WS-N2
           STRING WS-NAME DELIMITED BY '  ' WS-N WS-N2 ' '
               DELIMITED BY SIZE INTO WS-TEXT POINTER WS-AT
           IF WS-VALUE-L > 0
               STRING WS-VALUE DELIMITED BY '  '
                   INTO WS-TEXT POINTER WS-AT
           END-IF
           STRING WS-NL DELIMITED BY SIZE INTO WS-TEXT
               POINTER WS-AT.
