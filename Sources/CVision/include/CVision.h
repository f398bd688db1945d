int cv_probe(void);
