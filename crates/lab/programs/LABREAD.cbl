      ******************************************************************
      * LABREAD: six records by key, for one number.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LABREAD.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-KEY                       PIC 9(8).
       01  WS-READ                      PIC S9(9) COMP.
       01  WS-SUM                       PIC S9(9) COMP VALUE 0.
       01  NUMBER-AREA                  PIC S9(9) COMP.
       01  LAB-RECORD.
           05  LAB-KEY                  PIC 9(8).
           05  LAB-TEXT                 PIC X(72).
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('NUMBER') INTO(NUMBER-AREA)
           END-EXEC
           MOVE 0 TO WS-SUM
           PERFORM VARYING WS-READ FROM 0 BY 1 UNTIL WS-READ = 6
               COMPUTE WS-KEY =
                   FUNCTION MOD(NUMBER-AREA + WS-READ * 137, 1000)
               EXEC CICS READ FILE('LABFILE') INTO(LAB-RECORD)
                   RIDFLD(WS-KEY)
               END-EXEC
               ADD LAB-KEY TO WS-SUM
           END-PERFORM
           EXEC CICS PUT CONTAINER('ANSWER') FROM(WS-SUM) END-EXEC
           EXEC CICS RETURN END-EXEC.
