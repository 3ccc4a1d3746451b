      * Never takes the socket that it was given.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LAZY.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
