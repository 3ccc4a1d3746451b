       IDENTIFICATION DIVISION.
       PROGRAM-ID. DELAYS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY CLOCKWS.
       01  WS-I                        PIC S9(9) COMP-5.
       01  WS-TABLE.
           05  WS-ENTRY                OCCURS 1000.
               10  WS-LATE             PIC S9(18) COMP-5.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  OUT-MEDIAN              PIC 9(9).
           05  OUT-P99                 PIC 9(9).
       PROCEDURE DIVISION.
           PERFORM VARYING WS-I FROM 1 BY 1 UNTIL WS-I > 1000
               PERFORM LOOK
               MOVE WS-NOW TO WS-BEGAN
               EXEC CICS DELAY FOR MILLISECS(1) END-EXEC
               PERFORM LOOK
               COMPUTE WS-LATE (WS-I) = WS-NOW - WS-BEGAN - 1000000
           END-PERFORM
           SORT WS-ENTRY ASCENDING KEY WS-LATE
           MOVE WS-LATE (500) TO OUT-MEDIAN
           MOVE WS-LATE (990) TO OUT-P99
           EXEC CICS RETURN END-EXEC.
       COPY CLOCK.
