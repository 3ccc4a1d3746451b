       IDENTIFICATION DIVISION.
       PROGRAM-ID. STARTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY CLOCKWS.
       01  WS-I                        PIC S9(9) COMP-5.
       COPY SENT.
       01  WS-TABLE.
           05  WS-ENTRY                OCCURS 200.
               10  WS-LATE             PIC S9(18) COMP-5.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  OUT-MEDIAN              PIC 9(9).
           05  OUT-P99                 PIC 9(9).
       PROCEDURE DIVISION.
           PERFORM VARYING WS-I FROM 1 BY 1 UNTIL WS-I > 200
               MOVE WS-I TO SENT-KEY
               PERFORM LOOK
               MOVE WS-NOW TO SENT-BEGAN
               EXEC CICS START TRANSID('FRST') FROM(WS-SENT) END-EXEC
               EXEC CICS DELAY FOR SECONDS(10) REQID('STARTS') END-EXEC
               EXEC CICS READ FILE('TIMES') INTO(WS-RECORD)
                   RIDFLD(SENT-KEY) END-EXEC
               MOVE RECORD-LATE TO WS-LATE (WS-I)
           END-PERFORM
           SORT WS-ENTRY ASCENDING KEY WS-LATE
           MOVE WS-LATE (100) TO OUT-MEDIAN
           MOVE WS-LATE (198) TO OUT-P99
           EXEC CICS RETURN END-EXEC.
       COPY CLOCK.
