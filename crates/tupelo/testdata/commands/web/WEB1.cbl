      * Web commands of a task that no request began; URLs.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEB1.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY TELLDATA.
       01  WS-BODY                     PIC X(40).
       01  WS-LENGTH                   PIC S9(8) COMP VALUE 40.
       01  WS-TOKEN                    PIC X(16).
       01  WS-SCHEME                   PIC X(16).
       01  WS-HOST                     PIC X(20) VALUE SPACES.
       01  WS-HOST-L                   PIC S9(8) COMP VALUE 20.
       01  WS-PORT                     PIC S9(8) COMP.
       01  WS-PATH                     PIC X(20) VALUE SPACES.
       01  WS-PATH-L                   PIC S9(8) COMP VALUE 20.
       01  WS-QUERY                    PIC X(20) VALUE SPACES.
       01  WS-QUERY-L                  PIC S9(8) COMP VALUE 20.
       01  WS-SHOWN                    PIC ZZZZ9.
       LINKAGE SECTION.
       COPY TOLD.
       PROCEDURE DIVISION.
           EXEC CICS WEB RECEIVE INTO(WS-BODY) LENGTH(WS-LENGTH)
               NOHANDLE END-EXEC
           MOVE 'RECEIVE' TO TELL-STEP PERFORM TELL
           EXEC CICS WEB SEND FROM('x') FROMLENGTH(1)
               NOHANDLE END-EXEC
           MOVE 'SEND' TO TELL-STEP PERFORM TELL
           EXEC CICS WEB RETRIEVE DOCTOKEN(WS-TOKEN)
               NOHANDLE END-EXEC
           MOVE 'RETRIEVE' TO TELL-STEP PERFORM TELL
           EXEC CICS WEB STARTBROWSE HTTPHEADER NOHANDLE END-EXEC
           MOVE 'BROWSE' TO TELL-STEP PERFORM TELL
           EXEC CICS EXTRACT TCPIP PORTNUMNU(WS-PORT)
               NOHANDLE END-EXEC
           MOVE 'TCPIP' TO TELL-STEP PERFORM TELL
           EXEC CICS WEB PARSE
               URL('https://example.com:8443/a/b?x=1') URLLENGTH(32)
               SCHEMENAME(WS-SCHEME) HOST(WS-HOST)
               HOSTLENGTH(WS-HOST-L) PORTNUMBER(WS-PORT)
               PATH(WS-PATH) PATHLENGTH(WS-PATH-L)
               QUERYSTRING(WS-QUERY) QUERYSTRLEN(WS-QUERY-L)
               NOHANDLE END-EXEC
           MOVE WS-PORT TO WS-SHOWN
           STRING WS-SCHEME(1:6) WS-HOST(1:WS-HOST-L) WS-SHOWN ' '
               WS-PATH(1:WS-PATH-L) ' ' WS-QUERY(1:WS-QUERY-L)
               DELIMITED BY SIZE INTO TELL-DATA
           MOVE 'PARSE' TO TELL-STEP PERFORM TELL
           EXEC CICS WEB PARSE URL('gopher://x/') URLLENGTH(11)
               NOHANDLE END-EXEC
           MOVE 'NO URL' TO TELL-STEP PERFORM TELL
           MOVE 3 TO WS-HOST-L MOVE SPACES TO WS-HOST
           EXEC CICS WEB PARSE URL('http://example.com')
               URLLENGTH(18) HOST(WS-HOST) HOSTLENGTH(WS-HOST-L)
               NOHANDLE END-EXEC
           MOVE WS-HOST TO TELL-DATA
           MOVE 'CUT' TO TELL-STEP PERFORM TELL
           EXEC CICS RETURN END-EXEC.
       COPY TELL.
