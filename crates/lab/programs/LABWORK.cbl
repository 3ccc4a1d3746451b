      ******************************************************************
      * LABWORK: computes for a while and waits for nobody.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LABWORK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ROUND                     PIC S9(9) COMP.
       01  WS-SUM                       PIC S9(9) COMP VALUE 0.
       01  NUMBER-AREA                  PIC S9(9) COMP.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('NUMBER') INTO(NUMBER-AREA)
           END-EXEC
           MOVE NUMBER-AREA TO WS-SUM
           PERFORM VARYING WS-ROUND FROM 0 BY 1 UNTIL WS-ROUND = 30000
               COMPUTE WS-SUM =
                   FUNCTION MOD(WS-SUM * 31 + WS-ROUND, 65521)
           END-PERFORM
           EXEC CICS PUT CONTAINER('ANSWER') FROM(WS-SUM) END-EXEC
           EXEC CICS RETURN END-EXEC.
