      * Is there to be linked to.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SUBP.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
