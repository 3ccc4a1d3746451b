      * GIVESOCKET to another task, which takes it, writes and ends
      * without CLOSE.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SOC9.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY SOCDATA.
       01  GIVEN.
           05  GIVEN-SOCKET            PIC 9(4) BINARY.
           05  GIVEN-CLIENT.
               10  ME-DOMAIN           PIC 9(8) BINARY.
               10  ME-NAME             PIC X(8).
               10  ME-TASK             PIC X(8).
               10  FILLER              PIC X(20).
       01  TAKER.
           05  TAKER-DOMAIN            PIC 9(8) BINARY VALUE 2.
           05  TAKER-NAME              PIC X(8).
           05  TAKER-TASK              PIC X(8) VALUE SPACES.
           05  FILLER                  PIC X(20) VALUE LOW-VALUES.
       01  SEL-MAX                     PIC 9(8) BINARY VALUE 32.
       01  SEL-TIME.
           05  SEL-SECONDS             PIC S9(8) BINARY VALUE -1.
           05  SEL-MICROS              PIC 9(8) BINARY VALUE 0.
       01  NO-MASK                     PIC X(4) VALUE LOW-VALUES.
       01  E-ASKED                     PIC X(4) VALUE X'00000004'.
       01  R-READY                     PIC X(4).
       01  W-READY                     PIC X(4).
       01  E-READY                     PIC X(4).
       LINKAGE SECTION.
       COPY TOLD.
       PROCEDURE DIVISION.
           PERFORM SOCPAIR
           MOVE 'GETCLIENTID' TO F
           CALL 'EZASOKET' USING F GIVEN-CLIENT ERRNO RETCODE
           MOVE ME-NAME TO TAKER-NAME MOVE SRVR-S TO GIVEN-SOCKET
           MOVE 'GIVESOCKET' TO F
           CALL 'EZASOKET' USING F SRVR-S TAKER ERRNO RETCODE
           MOVE 'GIVESOCKET' TO TELL-STEP PERFORM TELLSOC
           EXEC CICS START TRANSID('SOCB') FROM(GIVEN) NOHANDLE
               END-EXEC
           MOVE 'SELECT' TO F
           CALL 'EZASOKET' USING F SEL-MAX SEL-TIME NO-MASK NO-MASK
               E-ASKED R-READY W-READY E-READY ERRNO RETCODE
           MOVE 'TAKEN' TO TELL-STEP PERFORM TELLSOC
           MOVE 'CLOSE' TO F
           CALL 'EZASOKET' USING F SRVR-S ERRNO RETCODE
           MOVE 'CLOSE' TO TELL-STEP PERFORM TELLSOC
           MOVE 'RECV' TO F MOVE 6 TO NBYTE MOVE SPACES TO BUF
           MOVE 64 TO SOC-FLAGS
           CALL 'EZASOKET' USING F CLNT-S SOC-FLAGS NBYTE BUF
               ERRNO RETCODE
           MOVE BUF TO TELL-DATA
           MOVE 'RECV WAITALL' TO TELL-STEP PERFORM TELLSOC
           MOVE 'READ' TO F
           CALL 'EZASOKET' USING F CLNT-S NBYTE BUF ERRNO RETCODE
           MOVE 'THE OTHER TASK IS OVER' TO TELL-STEP PERFORM TELLSOC
           EXEC CICS RETURN END-EXEC.
       COPY SOCPAIR.
       COPY TELLSOC.
