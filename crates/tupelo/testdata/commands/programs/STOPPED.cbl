      * Would run, were it not disabled.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STOPPED.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
