      * Ends without an answer.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBNONE.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
