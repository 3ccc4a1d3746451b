      ******************************************************************
      * LABLINK: answers a number at once.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LABLINK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  NUMBER-AREA                  PIC S9(9) COMP.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('NUMBER') INTO(NUMBER-AREA)
           END-EXEC
           ADD 1 TO NUMBER-AREA
           EXEC CICS PUT CONTAINER('ANSWER') FROM(NUMBER-AREA) END-EXEC
           EXEC CICS RETURN END-EXEC.
