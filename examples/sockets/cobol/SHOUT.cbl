      * The customer's program: answers a line in capitals.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SHOUT.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  LINE-LENGTH             PIC 9(4) BINARY.
           05  LINE-TEXT               PIC X(1000).
       PROCEDURE DIVISION.
           MOVE FUNCTION UPPER-CASE(LINE-TEXT) TO LINE-TEXT
           EXEC CICS RETURN END-EXEC.
